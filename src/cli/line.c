/* line.c -- a line that is typed and edited on a terminal.
 *
 * An editor of its own, of some hundred lines, since the choices are worse: readline's licence is not this project's, libedit
 * would be a second way for builds with and without it, and either is one more thing to install. It knows the keys of both:
 *
 *   left right home end, Ctrl-B F A E       move; with Alt or Ctrl: by words
 *   backspace delete Ctrl-D Ctrl-W U K      delete: a character, the word before, all before, all behind
 *   up down Ctrl-P N                        lines typed before; Ctrl-R searches them backwards
 *   tab                                     completes, twice: shows what there is; spaces where nothing stands before it
 *   Ctrl-L                                  clears the screen
 *
 * A line that is longer than the terminal is wide is scrolled. Text is UTF-8; a code point is one column wide, or two in the blocks of
 * East Asian scripts and pictures. Where the terminal can do nothing (TERM=dumb) lines are read as they come. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

typedef struct Edit {
    LineEditor *e;
    const char *ask;
    char *s; /* the line */
    size_t n, at, room;
    int row;     /* of the history; its length: the new line .. */
    char *draft; /* .. which is kept here while others are shown; malloc'ed or NULL */
    bool tabbed; /* the key before was a tab */
} Edit;

enum { CTRL = 0x1f, KEY_ESC = 27, KEY_BACKSPACE = 127 };
enum { /* beyond bytes: sequences of the terminal */
       KEY_UP = 1000,
       KEY_DOWN,
       KEY_RIGHT,
       KEY_LEFT,
       KEY_HOME,
       KEY_END,
       KEY_DELETE,
       KEY_WORD_RIGHT,
       KEY_WORD_LEFT,
       KEY_WORD_DELETE,
       KEY_NONE
};

/* ---- text -------------------------------------------------------------------------------- */

static bool is_tail(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static size_t before(const Edit *d, size_t at)
{
    while (at && is_tail(d->s[--at]))
        ;
    return at;
}

static size_t behind(const Edit *d, size_t at)
{
    if (at < d->n)
        at++;
    while (at < d->n && is_tail(d->s[at]))
        at++;
    return at;
}

/* Columns of the code point at s. */
static int width_at(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned c = u[0];

    if (c >= 0xf0)
        c = (c & 7) << 18 | (u[1] & 63u) << 12 | (u[2] & 63u) << 6 | (u[3] & 63u);
    else if (c >= 0xe0)
        c = (c & 15) << 12 | (u[1] & 63u) << 6 | (u[2] & 63u);
    return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xd7a4) ||
                   (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) ||
                   (c >= 0xff00 && c < 0xff61) || (c >= 0x1f300 && c < 0x20000) ||
                   (c >= 0x20000 && c < 0x40000)
               ? 2
               : 1;
}

static int columns_of(const Edit *d, size_t from, size_t to)
{
    int w = 0;

    for (size_t i = from; i < to; i = behind(d, i))
        w += width_at(d->s + i);
    return w;
}

static void insert(Edit *d, const char *s, size_t n)
{
    if (d->n + n + 4 > d->room) { /* four more: width_at looks ahead */
        char *grown = realloc(d->s, d->room = 2 * (d->n + n + 4));

        if (!grown) {
            cli_complain("out of memory");
            exit(ENVIRONMENT);
        }
        d->s = grown;
    }
    memmove(d->s + d->at + n, d->s + d->at, d->n - d->at);
    memcpy(d->s + d->at, s, n);
    d->at += n;
    d->n += n;
    memset(d->s + d->n, 0, 4);
}

static void cut(Edit *d, size_t from, size_t to)
{
    memmove(d->s + from, d->s + to, d->n - to);
    d->n -= to - from;
    d->at = from;
    memset(d->s + d->n, 0, 4);
}

static void replace(Edit *d, const char *s)
{
    cut(d, 0, d->n);
    insert(d, s, strlen(s));
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_before(const Edit *d)
{
    size_t at = d->at;

    while (at && !in_word(d->s[at - 1]))
        at--;
    while (at && in_word(d->s[at - 1]))
        at--;
    return at;
}

static size_t word_behind(const Edit *d)
{
    size_t at = d->at;

    while (at < d->n && !in_word(d->s[at]))
        at++;
    while (at < d->n && in_word(d->s[at]))
        at++;
    return at;
}

/* ---- the terminal ------------------------------------------------------------------------ */

static int columns(void)
{
    struct winsize w;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 10 ? w.ws_col : 80;
}

static void put(const char *s, size_t n)
{
    while (n) {
        ssize_t done = write(STDOUT_FILENO, s, n);

        if (done < 0 && errno != EINTR)
            return;
        s += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

static void put_text(const char *s) { put(s, strlen(s)); }

/* The line on the row of the cursor: of a long one the part around the cursor. */
static void draw(const Edit *d, const char *ask)
{
    int room = columns() - (int)strlen(ask) - 1;
    size_t from = 0, to;
    char move[32];

    while (columns_of(d, from, d->at) > room - 1)
        from = behind(d, from);
    for (to = from; to < d->n && columns_of(d, from, behind(d, to)) <= room;)
        to = behind(d, to);
    put_text("\r");
    put_text(ask);
    if (to > from)
        put(d->s + from, to - from);
    put_text("\033[K\r");
    snprintf(move, sizeof move, "\033[%dC",
             (int)strlen(ask) + columns_of(d, from, d->at));
    put_text(move);
}

/* What was printed may have left the cursor within a row: then it goes to the next one. As many spaces as a row has columns but one take a cursor
 * that stands at the beginning to the end of its row, and any other into the next. */
static void begin_row(void)
{
    char spaces[512];
    int n = columns() - 1;

    memset(spaces, ' ', sizeof spaces);
    put(spaces, (size_t)(n < (int)sizeof spaces ? n : 0));
    put_text("\r\033[K");
}

/* A byte; -1: the end */
static int read_byte(void)
{
    unsigned char c;
    ssize_t n;

    do
        n = read(STDIN_FILENO, &c, 1);
    while (n < 0 && errno == EINTR);
    return n == 1 ? c : -1;
}

/* After ESC [ or ESC O: numbers, then a letter or ~ */
static int read_sequence(void)
{
    int c = read_byte(), number = 0, modifier = 0;

    for (; c == ';' || (c >= '0' && c <= '9'); c = read_byte()) {
        if (c == ';')
            modifier = 1;
        else if (!modifier && number < 1000)
            number = number * 10 + c - '0';
    }
    switch (c) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case 'C': return modifier ? KEY_WORD_RIGHT : KEY_RIGHT;
    case 'D': return modifier ? KEY_WORD_LEFT : KEY_LEFT;
    case 'H': return KEY_HOME;
    case 'F': return KEY_END;
    case '~':
        return number == 1 || number == 7   ? KEY_HOME
               : number == 4 || number == 8 ? KEY_END
               : number == 3                ? KEY_DELETE
                                            : KEY_NONE;
    default: return c < 0 ? c : KEY_NONE;
    }
}

static int read_key(void)
{
    int c = read_byte();

    if (c != KEY_ESC)
        return c;
    switch (c = read_byte()) {
    case '[':
    case 'O': return read_sequence();
    case 'f': return KEY_WORD_RIGHT;
    case 'b': return KEY_WORD_LEFT;
    case 'd': return KEY_WORD_DELETE;
    default: return c < 0 ? c : KEY_NONE;
    }
}

/* ---- history ------------------------------------------------------------------------------ */

void line_history_add(History *h, const char *line)
{
    char **grown;

    if (h->n && strcmp(h->v[h->n - 1], line) == 0)
        return;
    if (h->n == h->room) {
        if (!(grown = realloc(h->v, (size_t)(2 * h->room + 16) * sizeof *grown)))
            return;
        h->v = grown;
        h->room = 2 * h->room + 16;
    }
    if ((h->v[h->n] = strdup(line)))
        h->n++;
}

static void show_row(Edit *d, int row)
{
    const History *h = &d->e->history;

    if (row < 0 || row > h->n)
        return;
    if (d->row == h->n) {
        free(d->draft);
        d->draft = strdup(d->s);
    }
    d->row = row;
    replace(d, row < h->n ? h->v[row] : d->draft ? d->draft : "");
}

/* Ctrl-R: the newest line that holds what is typed; again: the one before. The key that ends it, which is to be done yet. */
static int search(Edit *d)
{
    const History *h = &d->e->history;
    char wanted[128] = "", ask[192];
    size_t n = 0;
    int row = h->n, key;

    for (;;) {
        snprintf(ask, sizeof ask, "(search '%s'): ", wanted);
        draw(d, ask);
        key = read_key();
        if (key == (CTRL & 'R'))
            row--;
        else if ((key == KEY_BACKSPACE || key == (CTRL & 'H')) && n)
            wanted[--n] = '\0', row = h->n - 1;
        else if (key >= ' ' && key < 256 && key != KEY_BACKSPACE && n < sizeof wanted - 1)
            wanted[n++] = (char)key, wanted[n] = '\0', row = row < h->n ? row : h->n - 1;
        else
            return key == (CTRL & 'G') ? KEY_NONE : key;
        while (n && row >= 0 && row < h->n && !strstr(h->v[row], wanted))
            row--;
        if (n && row >= 0 && row < h->n)
            show_row(d, row);
        else if (row < 0)
            row = 0;
    }
}

/* ---- completion ---------------------------------------------------------------------------- */

/* Names of a list, one a line, in columns below the line. */
static void list_names(const char *names)
{
    int widest = 1, per_row, k = 0;

    for (const char *s = names; *s; s += strcspn(s, "\n"), s += *s == '\n')
        widest = (int)strcspn(s, "\n") > widest ? (int)strcspn(s, "\n") : widest;
    per_row = columns() / (widest + 2) > 1 ? columns() / (widest + 2) : 1;
    put_text("\r\n");
    for (const char *s = names; *s; s += *s == '\n') {
        size_t n = strcspn(s, "\n");

        put(s, n);
        s += n;
        if (++k % per_row == 0 || !*s)
            put_text("\r\n");
        else
            for (int i = (int)n; i < widest + 2; i++)
                put_text(" ");
    }
}

/* How many bytes all the names have in common. */
static size_t common(const char *names)
{
    size_t n = strcspn(names, "\n");

    for (const char *s = names; *s; s += strcspn(s, "\n"), s += *s == '\n')
        for (size_t i = 0; i < n; i++)
            if (s[i] != names[i])
                n = i;
    return n;
}

static void complete_line(Edit *d)
{
    size_t word = d->at, n, all;
    const char *names;

    if (strspn(d->s ? d->s : "", " \t") >=
        d->at) { /* nothing to complete: an indentation */
        insert(d, "    ", 4 - d->at % 4);
        return;
    }
    while (word && in_word(d->s[word - 1]))
        word--;
    names = d->e->complete(d->e->user, d->s, d->at);
    if (!*names) {
        put_text("\a");
        return;
    }
    n = d->at - word;
    all = common(names);
    if (all > n)
        insert(d, names + n, all - n);
    else if (strchr(names, '\n') && d->tabbed)
        list_names(names);
    else if (strchr(names, '\n'))
        put_text("\a");
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Keys that move, or show another line. */
static bool do_move(Edit *d, int key)
{
    switch (key) {
    case CTRL & 'B':
    case KEY_LEFT: d->at = before(d, d->at); return true;
    case CTRL & 'F':
    case KEY_RIGHT: d->at = behind(d, d->at); return true;
    case CTRL & 'A':
    case KEY_HOME: d->at = 0; return true;
    case CTRL & 'E':
    case KEY_END: d->at = d->n; return true;
    case KEY_WORD_LEFT: d->at = word_before(d); return true;
    case KEY_WORD_RIGHT: d->at = word_behind(d); return true;
    case CTRL & 'P':
    case KEY_UP: show_row(d, d->row - 1); return true;
    case CTRL & 'N':
    case KEY_DOWN: show_row(d, d->row + 1); return true;
    default: return false;
    }
}

static void do_key(Edit *d, int key)
{
    char c = (char)key;

    if (do_move(d, key))
        return;
    switch (key) {
    case CTRL & 'H':
    case KEY_BACKSPACE: cut(d, before(d, d->at), d->at); break;
    case CTRL & 'D':
    case KEY_DELETE: {
        size_t at = d->at;

        cut(d, at, behind(d, at));
        break;
    }
    case CTRL & 'W': cut(d, word_before(d), d->at); break;
    case KEY_WORD_DELETE: cut(d, d->at, word_behind(d)); break;
    case CTRL & 'U': cut(d, 0, d->at); break;
    case CTRL & 'K': cut(d, d->at, d->n); break;
    case CTRL & 'L': put_text("\033[H\033[2J"); break;
    case '\t': complete_line(d); break;
    default:
        if (key >= ' ' && key < 256)
            insert(d, &c, 1);
    }
    d->tabbed = key == '\t';
}

static LineEnd edit(Edit *d)
{
    for (;;) {
        draw(d, d->ask);
        int key = read_key();

        if (key == (CTRL & 'R'))
            key = search(d);
        if (key == '\r' || key == '\n' || key == (CTRL & 'C')) {
            d->at = d->n;
            draw(d, d->ask);
            put_text(key == (CTRL & 'C') ? "^C\r\n" : "\r\n");
            return key == (CTRL & 'C') ? LINE_INTERRUPTED : LINE_DONE;
        }
        if (key < 0 || (key == (CTRL & 'D') && d->n == 0)) {
            put_text("\r\n");
            return LINE_EOF;
        }
        do_key(d, key);
    }
}

/* ---- a line ------------------------------------------------------------------------------------ */

static LineEnd read_plain(const char *ask, char **out)
{
    size_t room = 0;
    ssize_t n;

    fputs(ask, stdout);
    fflush(stdout);
    clearerr(stdin);
    n = getline(out, &room, stdin);
    if (n > 0 && (*out)[n - 1] == '\n')
        (*out)[n - 1] = '\0';
    if (n < 0)
        putchar('\n');
    return n >= 0                           ? LINE_DONE
           : errno == EINTR && !feof(stdin) ? LINE_INTERRUPTED
                                            : LINE_EOF;
}

LineEnd line_read(LineEditor *e, const char *ask, char **out)
{
    const char *term = getenv("TERM");
    Edit d = {.e = e, .ask = ask, .row = e->history.n};
    struct termios old, raw;
    LineEnd end;

    *out = NULL;
    if (!term || strcmp(term, "dumb") == 0 || tcgetattr(STDIN_FILENO, &old) != 0)
        return read_plain(ask, out);
    raw = old;
    raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IXON);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG | IEXTEN);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    insert(&d, "", 0);
    begin_row();
    end = edit(&d);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &old);
    free(d.draft);
    *out = d.s;
    return end;
}
