// A cgroup v2 below our own.
#ifndef GROUP_H
#define GROUP_H
#include "bench.h"
#include <sys/stat.h>

// "30 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw": field 5 is the mount point.
static bool find_mount(char *mount, size_t size) {
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char line[4096], point[256];
    while (file && fgets(line, sizeof line, file))
        if (strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %255s", point) == 1) {
            fclose(file);
            snprintf(mount, size, "%s", point);
            return true;
        }
    return false;
}

static void find_own_group(char *path, size_t size) {
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[512];
    path[0] = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "0::", 3)) {
            line[strcspn(line, "\n")] = 0;
            snprintf(path, size, "%.199s", strcmp(line + 3, "/") ? line + 3 : "");
        }
    if (file) fclose(file);
}

static void make_subgroup(char *path, size_t size, const char *name) {
    char mount[256], own[200];
    if (!find_mount(mount, sizeof mount)) errno = ENOENT, die("no cgroup2 mount");
    find_own_group(own, sizeof own);
    snprintf(path, size, "%s%s/%s", mount, own, name);
    if (mkdir(path, 0755)) die(path);
}
#endif
