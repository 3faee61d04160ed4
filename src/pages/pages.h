/* pages.h -- pages to look at: one HTML file each, without a network. NAME.html is the page, base.html what all have in common
 * (style, a few functions); both are embedded in the program. The line @DATA@ of a page becomes a JSON value.
 */
#ifndef WEFT_PAGES_H
#define WEFT_PAGES_H

#include <stdbool.h>
#include <stdio.h>

extern const char *const page_train[],
    *const page_show[], *const page_profile[],
                            *const page_serve[]; /* lines; NULL ends them */

/* The page with what put writes as its data; title is for the window. */
void page_write(FILE *f, const char *const *page, const char *title,
                void (*put)(FILE *f, void *user), void *user);
/* A JSON string that may also stand inside <script>. */
void page_string(FILE *f, const char *s);
void page_number(FILE *f, double x); /* null for what is no finite number */

#endif
