/* k_map_signed.c -- elementwise loops and sums of signed integers. */
#include "vec.h"

#define T int8_t
#define UT uint8_t
#define TNAME(x) x##_i8
#define TSIGNED 1
#include "map_int.h"

#define T int16_t
#define UT uint16_t
#define TNAME(x) x##_i16
#define TSIGNED 1
#include "map_int.h"

#define T int32_t
#define UT uint32_t
#define TNAME(x) x##_i32
#define TSIGNED 1
#include "map_int.h"

#define T int64_t
#define UT uint64_t
#define TNAME(x) x##_i64
#define TSIGNED 1
#include "map_int.h"

