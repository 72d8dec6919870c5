// Capabilities, through libcap.
//
// libcap allocates and answers through errno: the latter is put back, and the former is over when a call returns.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <string.h>
#include <sys/capability.h>

struct own_capabilities {
    uint64_t permitted, effective;
};

static uint64_t both_halves(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

// Without libcap, as most processes have no capabilities and then nothing else is to be done. Source: capget(2).
static long get_own(struct own_capabilities *own)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    long result = RAW(SYS_capget, &header, sets);
    own->permitted = both_halves(sets[0].permitted, sets[1].permitted);
    own->effective = both_halves(sets[0].effective, sets[1].effective);
    return result;
}

// Adds to `set` those of `capabilities` that `own` has. libcap refuses numbers the kernel doesn't know; those nobody has.
static int add_kept(cap_t set, cap_flag_t flag, uint64_t own, const int *capabilities, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cap_value_t capability = capabilities[i];
        if (capability < 0 || capability > 63)
            return -EINVAL;
        if ((own >> capability & 1) && cap_set_flag(set, flag, 1, &capability, CAP_SET))
            return -errno;
    }
    return 0;
}

static int set_own(cap_t set, const struct own_capabilities *own, const int *capabilities, size_t count)
{
    int result = add_kept(set, CAP_PERMITTED, own->permitted, capabilities, count);
    if (result == 0)
        result = add_kept(set, CAP_EFFECTIVE, own->effective, capabilities, count);
    if (result == 0 && cap_set_proc(set))
        result = -errno;
    return result;
}

// The inheritable set is emptied too, and with it the ambient one. Source: capabilities(7).
int curfew_capabilities_keep(const int *capabilities, size_t count)
{
    struct own_capabilities own;
    long got = get_own(&own);
    if (got < 0 || own.permitted == 0)
        return (int)got;
    int callers_errno = errno;
    cap_t set = cap_init();
    int result = set ? set_own(set, &own, capabilities, count) : -errno;
    if (set)
        cap_free(set);
    errno = callers_errno;
    return result;
}

static int copy_text(const char *text, size_t length, char *buffer, size_t size)
{
    if (length > size - 1)
        length = size - 1;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    return (int)length;
}

static int describe(cap_t set, char *buffer, size_t size)
{
    ssize_t length = 0;
    char *text = cap_to_text(set, &length);
    if (!text)
        return -errno;
    int result = copy_text(text, (size_t)length, buffer, size);
    cap_free(text);
    return result;
}

int curfew_capabilities_text(char *buffer, size_t size)
{
    if (size == 0)
        return -EINVAL;
    int callers_errno = errno;
    cap_t set = cap_get_proc();
    int result = set ? describe(set, buffer, size) : -errno;
    if (set)
        cap_free(set);
    errno = callers_errno;
    return result;
}

int curfew_capability_number(const char *name)
{
    int callers_errno = errno;
    cap_value_t capability = 0;
    int result = cap_from_name(name, &capability) ? -EINVAL : capability;
    errno = callers_errno;
    return result;
}
