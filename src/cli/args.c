/* args.c -- words and options of a command line. Options and words may be mixed. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -1.5  -.5  -inf  -nan */
static bool is_number(const char *s)
{
    if (s[0] != '-')
        return false;
    s++;
    if (*s == '.')
        s++;
    return (*s >= '0' && *s <= '9') || strcmp(s, "inf") == 0 || strcmp(s, "nan") == 0;
}

static const Option *find_option(const Option *table, const char *s, size_t n)
{
    for (; table && table->name; table++)
        if (strlen(table->name) == n && memcmp(table->name, s, n) == 0)
            return table;
    return NULL;
}

/* word, of which n bytes are the option's name with its dashes */
static int unknown_option(const CliArgs *a, const char *word, size_t n)
{
    char spelled[64][32], name[64];
    const char *names[64];
    int count = 0;

    for (int k = 0; k < 2; k++)
        for (const Option *o = k ? a->command->more : a->command->options;
             o && o->name && count < 64; o++) {
            snprintf(spelled[count], sizeof spelled[0], "%s%s", o->name[1] ? "--" : "-",
                     o->name);
            names[count] = spelled[count];
            count++;
        }
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    usage_error(a->command, "unknown option '%s'%s", name, cli_suggest(name, names, count));
    return ARG_WRONG;
}

/* -o VALUE, -oVALUE, --name, --name=VALUE, --name VALUE */
static int read_option(CliArgs *a, const char *word)
{
    bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long, *equals = is_long ? strchr(name, '=') : NULL;
    size_t n = equals ? (size_t)(equals - name) : is_long ? strlen(name) : 1;
    const Option *o = find_option(a->command->options, name, n);

    if (!o)
        o = find_option(a->command->more, name, n);
    if (!o || is_long != (strlen(o->name) > 1))
        return unknown_option(a, word, (size_t)(name - word) + n);
    a->value = equals ? equals + 1 : !is_long && name[1] ? name + 1 : NULL;
    if (a->value && o->kind == OPT_FLAG) {
        usage_error(a->command, "'%s' takes no value", word);
        return ARG_WRONG;
    }
    if (!a->value && o->kind == OPT_VALUE) {
        if (a->at == a->argc) {
            usage_error(a->command, "'%s' needs a value: %s", word, o->value);
            return ARG_WRONG;
        }
        a->value = a->argv[a->at++];
    }
    return o->id;
}

int args_next(CliArgs *a)
{
    const char *word;

    a->value = NULL;
    if (a->at == a->argc)
        return ARG_END;
    word = a->argv[a->at++];
    if (!a->words_only && strcmp(word, "--") == 0) {
        a->words_only = true;
        return args_next(a);
    }
    if (!a->words_only && word[0] == '-' && word[1] && !is_number(word))
        return read_option(a, word);
    a->value = word;
    return ARG_WORD;
}

bool args_number(CliArgs *a, const char *option, int64_t *out)
{
    const char *s = a->value;
    int64_t v = 0;
    bool ok = *s != '\0';

    for (; *s && ok; s++)
        ok = *s >= '0' && *s <= '9' && !__builtin_mul_overflow(v, 10, &v) &&
             !__builtin_add_overflow(v, *s - '0', &v);
    if (ok)
        *out = v;
    else
        usage_error(a->command, "--%s needs a whole number, found '%s'", option,
                    a->value);
    return ok;
}

CliSizes sizes_new(int room)
{
    return (CliSizes){cli_need_memory((size_t)room * sizeof(char *)),
                   cli_need_memory((size_t)room * sizeof(int64_t)), 0};
}

bool args_size(CliArgs *a, CliSizes *s)
{
    const char *equals = strchr(a->value, '=');
    char *name;

    if (!equals || equals == a->value) {
        usage_error(a->command, "--size needs SYMBOL=NUMBER, found '%s'", a->value);
        return false;
    }
    name = cli_need_memory(strlen(a->value) + 1);
    memcpy(name, a->value, (size_t)(equals - a->value));
    s->names[s->n++] = name;
    a->value = equals + 1;
    return args_number(a, "size", &s->values[s->n - 1]);
}

void sizes_free(CliSizes *s)
{
    for (int i = 0; i < s->n; i++)
        free(s->names[i]);
    free(s->names);
    free(s->values);
}
