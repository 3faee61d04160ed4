/* lib_text.h -- what is printed, beside what should be. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdbool.h>

/* Equal but for spacing and the last digits of numbers? If not: where they part. */
bool test_same_text(const char *want, const char *got, const char **at);

#endif
