/* numbers.h -- definitions of the classes in number.c. */
#ifndef WEFT_SCRIPT_NUMBERS_H
#define WEFT_SCRIPT_NUMBERS_H

#include "script.h"

extern const ClassDef sc_int_def, sc_float_def, sc_complex_def, sc_bool_def, sc_none_def, sc_ellipsis_def,
    sc_notimpl_def;

#endif
