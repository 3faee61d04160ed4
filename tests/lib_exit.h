/* lib_exit.h -- the end of processes that tests make by fork. */
#ifndef WEFT_LIB_EXIT_H
#define WEFT_LIB_EXIT_H

/* _exit; what the process ran counts in `make coverage`. */
void test_exit(int status) __attribute__((noreturn));

#endif
