// ncurses with wide characters, as far as `curfew top` needs it: what are macros and variables there are functions here.
#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <term.h>
#include <wchar.h>
#include <wctype.h>

// ---- The terminal's kind ----------------------------------------------------------------------

// Whether text can be anything but ASCII: what the environment asks for, also where that locale isn't installed.
static inline bool screen_choose_locale(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (!setlocale(LC_CTYPE, "")) {
        for (size_t i = 0; i < 3; i++) {
            const char *value = getenv(variables[i]);
            if (!value || !*value)
                continue;
            const char *charset = strchr(value, '.');
            if (charset && (!strcasecmp(charset, ".UTF-8") || !strcasecmp(charset, ".utf8")))
                setlocale(LC_CTYPE, "C.UTF-8");
            break;
        }
    }
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

enum screen_problem {
    SCREEN_IS_WELL,
    SCREEN_UNKNOWN,            // no description of this kind of terminal
    SCREEN_WITHOUT_CURSOR,     // one that can't write at a place
};

// Reads the description that TERM names.
static inline enum screen_problem screen_describe(void)
{
    int found = 0;
    if (setupterm(NULL, 1, &found) == ERR)
        return SCREEN_UNKNOWN;
    const char *place = tigetstr("cup");
    return !place || place == (const char *)-1 ? SCREEN_WITHOUT_CURSOR : SCREEN_IS_WELL;
}

static inline int screen_put_byte(int byte)
{
    return fputc(byte, stdout);
}

static inline void screen_write(const char *capability)
{
    const char *text = tigetstr(capability);
    if (text && text != (const char *)-1)
        tputs(text, 1, screen_put_byte);
}

// Puts right what another process has left: the usual screen and keys, a cursor, no attributes. After screen_describe.
static inline void screen_put_right(void)
{
    screen_write("sgr0");
    screen_write("rmkx");
    screen_write("cnorm");
    screen_write("rmcup");
    fflush(stdout);
}

// ---- The screen -------------------------------------------------------------------------------

static inline bool screen_begin(void)
{
    use_tioctl(TRUE);
    if (!newterm(NULL, stdout, stdin))
        return false;
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    typeahead(-1);
    set_escdelay(50);
    curs_set(0);
    return true;
}

static inline void screen_end(void)
{
    endwin();
}

// After screen_end, or where another process has put the terminal right meanwhile: takes it again, and draws all of it.
static inline void screen_resume(void)
{
    // Another endwin would have the terminal put the cursor back where it was before the shell wrote anything.
    if (!isendwin()) {
        screen_write("smcup");
        screen_write("smkx");
        fflush(stdout);
        reset_prog_mode();
    }
    clearok(stdscr, TRUE);
    refresh();
    curs_set(0);
}

static inline void screen_draw_anew(void)
{
    clearok(stdscr, TRUE);
}

static inline int screen_rows(void)
{
    return LINES;
}

static inline int screen_columns(void)
{
    return COLS;
}

// Takes the size that the terminal has now.
static inline void screen_resize(void)
{
    struct winsize size;
    if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
    clearok(stdscr, TRUE);
}

enum screen_colour { SCREEN_PLAIN, SCREEN_GREEN, SCREEN_YELLOW, SCREEN_RED };

// False where the terminal has none.
static inline bool screen_start_colours(void)
{
    if (!has_colors() || start_color() == ERR)
        return false;
    short background = use_default_colors() == OK ? -1 : COLOR_BLACK;
    init_pair(SCREEN_GREEN, COLOR_GREEN, background);
    init_pair(SCREEN_YELLOW, COLOR_YELLOW, background);
    init_pair(SCREEN_RED, COLOR_RED, background);
    return true;
}

enum { SCREEN_BOLD = 1, SCREEN_DIM = 2, SCREEN_REVERSE = 4 };

static inline void screen_erase(void)
{
    erase();
}

// One character, and the marks on it; what this C library can't show is a question mark.
static inline void screen_put(int row, int column, const uint32_t *scalars, size_t count, int style, int colour)
{
    wchar_t text[CCHARW_MAX + 1] = {0};
    for (size_t i = 0; i < count && i < CCHARW_MAX; i++)
        text[i] = (wchar_t)scalars[i];
    attr_t attributes = (style & SCREEN_BOLD ? A_BOLD : 0) | (style & SCREEN_DIM ? A_DIM : 0)
        | (style & SCREEN_REVERSE ? A_REVERSE : 0);
    cchar_t cell;
    bool is_known = count > 0 && iswprint((wint_t)text[0]);
    if (!is_known || setcchar(&cell, text, attributes, (short)colour, NULL) == ERR)
        setcchar(&cell, L"?", attributes, (short)colour, NULL);
    mvadd_wch(row, column, &cell);
}

static inline void screen_show(void)
{
    refresh();
}

// ---- Keys -------------------------------------------------------------------------------------

// Beyond the last character.
enum screen_key {
    SCREEN_NO_KEY = 0x110000,
    SCREEN_KEY_UP,
    SCREEN_KEY_DOWN,
    SCREEN_KEY_PAGE_UP,
    SCREEN_KEY_PAGE_DOWN,
    SCREEN_KEY_HOME,
    SCREEN_KEY_END,
    SCREEN_KEY_BACKSPACE,
    SCREEN_KEY_ENTER,
    SCREEN_KEY_OTHER,
};

// A character, or one of those; never waits.
static inline uint32_t screen_key(void)
{
    wint_t key = 0;
    int kind = get_wch(&key);
    if (kind == ERR)
        return SCREEN_NO_KEY;
    if (kind == OK)
        return key <= 0x10ffff ? (uint32_t)key : SCREEN_KEY_OTHER;
    switch (key) {
    case KEY_UP: return SCREEN_KEY_UP;
    case KEY_DOWN: return SCREEN_KEY_DOWN;
    case KEY_PPAGE: return SCREEN_KEY_PAGE_UP;
    case KEY_NPAGE: return SCREEN_KEY_PAGE_DOWN;
    case KEY_HOME: return SCREEN_KEY_HOME;
    case KEY_END: return SCREEN_KEY_END;
    case KEY_BACKSPACE: return SCREEN_KEY_BACKSPACE;
    case KEY_ENTER: return SCREEN_KEY_ENTER;
    default: return SCREEN_KEY_OTHER;
    }
}

#endif
