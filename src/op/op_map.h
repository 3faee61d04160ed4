/* op_map.h -- rules the elementwise rows share: types, oracle, folding of constants. */
#ifndef WEFT_OP_MAP_H
#define WEFT_OP_MAP_H

#include "op/op.h"
#include "op/pair.h"
#include "op/scalar.h"

/* What the op means on one element of floats, on one integer or bool: an expression of x
 * (and y); see Lower in ir.h. The row names the function real_<op>, whole_<op>. */
#define REAL(name, expr)                                                                 \
    static double real_##name(wf_dtype t, double x, double y)                            \
    {                                                                                    \
        (void)t, (void)x, (void)y;                                                       \
        return expr;                                                                     \
    }
#define WHOLE(name, expr)                                                                \
    static uint64_t whole_##name(wf_dtype t, uint64_t x, uint64_t y)                     \
    {                                                                                    \
        const unsigned w = scalar_width(t);                                              \
        (void)w, (void)x, (void)y;                                                       \
        return expr;                                                                     \
    }
/* The same of an op that targets print as it stands here. */
#define REAL_C(name, expr)                                                               \
    REAL(name, expr)                                                                     \
    static const char c_##name[] = #expr;
#define WHOLE_C(name, expr)                                                              \
    WHOLE(name, expr)                                                                    \
    static const char c_##name[] = #expr;

/* And of complex numbers x (and y); pair_ functions are op/pair.h's. */
#define PAIR(name, expr)                                                                 \
    static Pair complex_##name(Pair x, Pair y)                                           \
    {                                                                                    \
        (void)x, (void)y;                                                                \
        return expr;                                                                     \
    }

/* A row of the table and its rules. cost_: of an element, about in additions; then what else `lower` says. */
#define MAP_ROW(name, cost_, doc_, type_, jvp_, transpose_, fold_, ...)                  \
    const OpRow op_row_##name = {                                                        \
        .type = type_,                                                                   \
        .eval = eval_map,                                                                \
        .fold = fold_,                                                                   \
        .flops = flops_map,                                                              \
        .lower = {LOWER_MAP, .cost = cost_, __VA_ARGS__},                                \
    };                                                                                   \
    const OpRules op_rules_##name = {                                                    \
        .doc = DOC(doc_),                                                                \
        .jvp = jvp_,                                                                     \
        .transpose = transpose_,                                                         \
        .batch = batch_map,                                                              \
    }

/* One operation for each element of the result. */
double flops_map(const SizedEqn *s);

/* All operands of one type, of these dtypes; the result is of that type. */
bool type_map_float(TypeRule *t);   /* f16 bf16 f32 f64 */
bool type_map_inexact(TypeRule *t); /* those and complex */
bool type_map_real(TypeRule *t);    /* integers and floats */
bool type_map_number(TypeRule *t);  /* those and complex */
bool type_map_int(TypeRule *t);     /* integers */
bool type_map_bits(TypeRule *t);    /* bool and integers */
bool type_map_ordered(TypeRule *t); /* any but complex */
/* The same with a bool result. */
bool type_map_compare(TypeRule *t);
bool type_map_equal(TypeRule *t); /* of complex numbers, too */
bool type_map_float_test(TypeRule *t); /* of a float */

/* The same type for operands from..nin-1, or an error that shows both. */
bool type_equal_operands(TypeRule *t, uint32_t from);

/* scalar_apply on each element; scalar operands of an op with larger ones stretch. */
bool eval_map(Eval *e);

/* If all operands are splats, the splat of the op on their elements. */
bool fold_splats(Builder *b, const EqnView *e, Val *out);
/* v is a splat of x, with the sign of zero. */
bool op_is_splat(const Builder *b, Val v, double x);
/* The operand of v if v is made by the one-operand op, else VAL_NONE. */
Val operand_of(const Builder *b, Val v, OpCode op);

#endif
