/* str.h -- what str.c, str_methods.c and str_case.c share. */
#ifndef WEFT_SCRIPT_STR_H
#define WEFT_SCRIPT_STR_H

#include "script.h"

/* str.c */
uint32_t str_offset(Vm *vm, Str *s, int64_t i);      /* byte offset of code point i */
int64_t str_chars_before(const Str *s, size_t byte); /* code points */
/* Where part begins in the bytes from..to-1 of s, or NULL. */
const char *str_find_bytes(const Str *s, uint32_t from, uint32_t to, const Str *part);

/* str_methods.c */
extern const NativeDef str_methods[], str_statics[];

/* str_case.c */
bool str_is_space(uint32_t c);
Value str_upper(Vm *vm, const Args *a);
Value str_lower(Vm *vm, const Args *a);
Value str_title(Vm *vm, const Args *a);
Value str_capitalize(Vm *vm, const Args *a);
Value str_casefold(Vm *vm, const Args *a);
Value str_swapcase(Vm *vm, const Args *a);
Value str_isdigit(Vm *vm, const Args *a);
Value str_isalpha(Vm *vm, const Args *a);
Value str_isalnum(Vm *vm, const Args *a);
Value str_isspace(Vm *vm, const Args *a);
Value str_isprintable(Vm *vm, const Args *a);
Value str_plain(Vm *vm, Value v); /* the text itself, of class str; owned */
bool str_is_printable(uint32_t c); /* str.c: does repr show it as it is? */
Value str_isupper(Vm *vm, const Args *a);
Value str_islower(Vm *vm, const Args *a);
Value str_isidentifier(Vm *vm, const Args *a);
Value str_isascii(Vm *vm, const Args *a);
Value str_istitle(Vm *vm, const Args *a);

#endif
