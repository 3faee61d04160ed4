/* print.h -- arrays as text, exactly as NumPy, PyTorch, JAX and TensorFlow write them.
 *
 *   number.c   one element: shortest digits, fixed places, exponents
 *   numpy.c    NumPy's str and repr; JAX's and TensorFlow's forms, which are NumPy's inside
 *   torch.c    PyTorch's
 *
 * All add to a Text and run inside a protected region. The array must be readable by the host.
 */
#ifndef WEFT_PRINT_H
#define WEFT_PRINT_H

#include "base/base.h"

typedef struct PrintArray {
    wf_dtype dtype;
    int rank;
    const int64_t *dims, *strides; /* strides in elements */
    const void *data;
} PrintArray;

PrintArray print_array_of(const wf_array *a);

typedef struct ArrayStyle {
    int precision;     /* digits after the point: NumPy at most, PyTorch exactly */
    int64_t threshold; /* more elements than this are summarised */
    int64_t edgeitems; /* how many at each end then */
    int linewidth;
    bool suppress; /* NumPy: never use exponents for small numbers */
    int sci_mode;  /* PyTorch: 1 always, 0 never, -1 as the numbers ask for */
} ArrayStyle;

#define PRINT_NUMPY ((ArrayStyle){8, 1000, 3, 75, false, -1})
#define PRINT_TORCH ((ArrayStyle){4, 1000, 3, 80, false, -1})

/* A complex array as two of its parts. */
typedef struct PrintParts {
    PrintArray re, im;
    int64_t strides[WF_MAX_RANK];
} PrintParts;
void print_parts(const PrintArray *a, PrintParts *out);

/* ---- number.c ------------------------------------------------------------------------------ */

#define PRINT_NUMBER_MAX 512 /* room for any of these with up to 100 places */
#define PRINT_WORD_MAX   (2 * PRINT_NUMBER_MAX) /* and for complex ones */

/* Element i (an offset in elements) as a number, exactly for floats; the integers have their own. */
double print_f64(const PrintArray *a, int64_t at);
int print_int(const PrintArray *a, int64_t at,
              char *out); /* decimal digits; the length */

/* C's %.*f and %.*e of x, in no locale. */
int print_fixed(double x, int places, char *out);
int print_exponent(double x, int places, char *out);
/* The fewest digits that tell x from its neighbours in dtype, but at most so many after the point: rounded
 * correctly there. Zeros at the end are cut; the point stays ("1."). x finite. */
int print_shortest(wf_dtype dtype, double x, int places, char *out);
/* The same as d.ddde+xx: at least least_places after the point, those of the exact value; exponent of at least
 * exp_digits digits. */
int print_shortest_exponent(wf_dtype dtype, double x, int places, int least_places,
                            int exp_digits, char *out);

/* Where elements are when an array is summarised: index i of those shown along an axis of size n. */
static inline bool print_cuts(int64_t n, bool summarise, int64_t edge)
{
    return summarise && n > 2 * edge;
}
/* Call fn for every element that is shown, in row-major order. */
void print_each(const PrintArray *a, bool summarise, int64_t edge,
                void (*fn)(void *user, int64_t at), void *user);
int64_t print_count(const PrintArray *a);
void print_shape(Text *t, const PrintArray *a); /* (2, 3), (3,), () */

/* ---- numpy.c --------------------------------------------------------------------------------- */

const char *print_numpy_dtype(wf_dtype dtype); /* "float32" */
/* str(a) and repr(a). opts NULL: the defaults. */
void print_numpy_str(Text *t, const PrintArray *a, const ArrayStyle *opts);
void print_numpy_repr(Text *t, const PrintArray *a, const ArrayStyle *opts);
/* repr of the scalar a[()], such as np.float32(1.5). */
void print_numpy_scalar_repr(Text *t, const PrintArray *a);
/* JAX: str is NumPy's; repr is Array(...). */
void print_jax_repr(Text *t, const PrintArray *a, bool weak_type, const ArrayStyle *opts);
/* TensorFlow: tf.Tensor(..., shape=(2,), dtype=float32) and <tf.Tensor: shape=(2,), dtype=float32, numpy=...>;
 * of a variable (name not NULL) <tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=...>, both str and repr. */
void print_tf_str(Text *t, const PrintArray *a, const ArrayStyle *opts);
void print_tf_repr(Text *t, const PrintArray *a, const ArrayStyle *opts);
void print_tf_variable(Text *t, const PrintArray *a, const char *name,
                       const ArrayStyle *opts);

/* ---- torch.c ---------------------------------------------------------------------------------- */

typedef struct TorchPrint {
    wf_dtype default_dtype; /* torch.get_default_dtype(); WF_INVALID: f32 */
    const char *grad_fn;    /* "AddBackward0", or NULL */
    bool requires_grad;     /* a leaf's */
    bool parameter;         /* "Parameter containing:" before it */
    const char *device;     /* "cuda:0" where it is not the default one, or NULL */
    bool blank;             /* there are no numbers */
} TorchPrint;

const char *print_torch_dtype(wf_dtype dtype); /* "torch.float32" */
void print_torch(Text *t, const PrintArray *a, const TorchPrint *what,
                 const ArrayStyle *opts);

#endif
