/* random.h -- the random numbers of PyTorch, NumPy, Python and JAX.
 *
 *   mt19937.c     the Mersenne twister
 *   torch.c       PyTorch's CPU generator on it; of a GPU's generator,
 *   torch_each.c  those of its numbers that take a parameter for each element
 *   philox.c      what is known of PyTorch's CUDA generator
 *   numpy.c       NumPy's two generators: Generator(PCG64) and RandomState
 *   numpy_kinds.c their other distributions: gamma, Poisson, binomial ..
 *   python.c      Python's module random
 *   threefry.c    JAX's keys: equations of a program, not a generator with state
 *   keys.c        the same as tensors
 *   generator.c   PyTorch's generator as a public object, and what a context keeps
 *
 * The generators are plain structs without pointers: copying one saves its state. They write
 * row-major elements of the given dtype; where the library itself refuses the dtype the function
 * returns false and draws nothing. What the libraries refuse by value (low >= high, p > 1) is the
 * caller's to check.
 */
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H

#include "op/op.h"

/* Loops that are compiled once more for vectors of eight: a body is INLINE, its copy VECTORS with a target of avx2 and fma. */
#define INLINE static inline __attribute__((always_inline)) /* into code for several machines */
#if defined(__clang__) || !defined(__x86_64__)
#define VECTORS
#else
#define VECTORS __attribute__((optimize("O3", "no-math-errno", "no-trapping-math")))
#endif
static inline bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* ---- mt19937.c --------------------------------------------------------------------------- */

#define MT_WORDS 624

typedef struct Mt19937 {
    uint32_t s[MT_WORDS];
    uint32_t at; /* the next word; MT_WORDS: make new ones first */
} Mt19937;

void mt_seed(Mt19937 *m, uint32_t seed);
void mt_seed_words(Mt19937 *m, const uint32_t *key, size_t n); /* n >= 1 */
uint32_t mt_u32(Mt19937 *m);
void mt_fill(Mt19937 *m, uint32_t *out, int64_t n); /* the next n of mt_u32 */
uint64_t mt_u64(Mt19937 *m); /* the first word is the high one */
double mt_unit(Mt19937 *m);  /* [0, 1), 53 bits of two words */

/* ---- torch.c ------------------------------------------------------------------------------ */

typedef struct TorchRng {
    Mt19937 mt;
    uint64_t seed;
    bool has_f64, has_f32; /* the second of a pair of normal numbers waits */
    double next_f64;
    float next_f32; /* kept for saved states; CPU kernels do not use it */
    bool gpu;       /* numbers of the CUDA generator */
    int64_t blocks; /* gpu: of 256 threads, that it holds at once; 0: not known */
    uint64_t count; /* gpu: rounds drawn */
} TorchRng;

void torch_seed(TorchRng *r, uint64_t seed);
void torch_seed_again(TorchRng *r, uint64_t seed); /* one that was seeded before; a GPU's stays one */
uint32_t torch_u32(TorchRng *r);
uint64_t torch_u64(TorchRng *r);
double torch_unit(TorchRng *r);        /* f64 uniform in [0, 1) */
double torch_normal_unit(TorchRng *r); /* f64 normal, one at a time */
/* Floats only. torch.rand is uniform 0, 1; torch.randn is normal 0, 1. */
bool torch_uniform(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double from,
                   double to);
bool torch_normal(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double mean,
                  double std);
bool torch_exponential(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double lambda);
bool torch_cauchy(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double median,
                  double sigma);
bool torch_log_normal(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double mean,
                      double std);
bool torch_geometric(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double p);
/* 1 with probability p, in any dtype. Dropout's mask is this with p = 1 - (dropout rate). */
bool torch_bernoulli(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double p);
/* p[i] for each element; p of dtype f64 or f32 (others: as f32, converted by the caller). */
bool torch_bernoulli_each(TorchRng *r, wf_dtype dtype, void *out, int64_t n,
                          wf_dtype p_dtype, const void *p);
/* low .. high-1 in any dtype; low < high. high - low may pass 2^63. */
bool torch_randint(TorchRng *r, wf_dtype dtype, void *out, int64_t n, int64_t low,
                   int64_t high);
/* Tensor.random_() without bounds: all values of an integer dtype that are not negative, the integers
 * exactly held by a float dtype. */
bool torch_random(TorchRng *r, wf_dtype dtype, void *out, int64_t n);
void torch_randperm(TorchRng *r, int64_t *out, int64_t n);
/* torch.multinomial of one row of k weights (f64 or f32, not all 0), m draws. out: m indices. scratch:
 * room for k doubles. Without replacement (or m 1) exactly PyTorch's race of exponentials. */
void torch_multinomial(TorchRng *r, wf_dtype dtype, const void *weights, int64_t k,
                       int64_t m, bool replacement, int64_t *out, double *scratch);
/* As torch.get_rng_state and set_rng_state: little-endian on every machine. False: not a state. */
#define TORCH_STATE_BYTES 5056
void torch_state_save(const TorchRng *r, uint8_t out[TORCH_STATE_BYTES]);
bool torch_state_load(TorchRng *r, const uint8_t in[TORCH_STATE_BYTES]);

/* Those of a GPU are a seed and a count of words. */
#define TORCH_GPU_STATE_BYTES 16
void torch_gpu_state_save(const TorchRng *r, uint8_t out[TORCH_GPU_STATE_BYTES]);
bool torch_gpu_state_load(TorchRng *r, const uint8_t in[TORCH_GPU_STATE_BYTES]);
/* A number stored in a float dtype, an integer in any (its low bits); a number as a dtype holds it. */
void torch_put_real(wf_dtype t, void *out, int64_t i, double x);
void torch_put_int(wf_dtype t, void *out, int64_t i, int64_t v);
double torch_round(wf_dtype t, double x);

/* ---- torch_each.c ------------------------------------------------------------------------ */

typedef enum TorchEach { /* with a[i], b[i] */
    TORCH_GAMMA,         /* shape */
    TORCH_POISSON,       /* rate */
    TORCH_BINOMIAL       /* count, probability */
} TorchEach;
/* n numbers of a float dtype, parameters in wide: f64, or f32 for all others. False: a rate is negative. */
bool torch_draw_each(TorchRng *r, TorchEach kind, wf_dtype dtype, wf_dtype wide, void *out, int64_t n,
                     const void *a, const void *b);

/* ---- philox.c ----------------------------------------------------------------------------- */

typedef enum PhiloxKind { /* with a, b */
    PHILOX_UNIFORM,       /* from, to */
    PHILOX_NORMAL,        /* mean, std */
    PHILOX_LOG_NORMAL,
    PHILOX_EXPONENTIAL, /* lambda */
    PHILOX_CAUCHY,      /* median, sigma */
    PHILOX_GEOMETRIC,   /* p */
    PHILOX_BERNOULLI    /* p */
} PhiloxKind;
uint64_t philox_u64(TorchRng *r); /* one after the other: for what PyTorch draws in ways of its own */
void philox_draw(TorchRng *r, PhiloxKind kind, wf_dtype dtype, void *out, int64_t n, double a,
                 double b);
/* low .. low + range - 1 */
void philox_randint(TorchRng *r, wf_dtype dtype, void *out, int64_t n, int64_t low, uint64_t range);

/* ---- numpy.c ------------------------------------------------------------------------------ */

__extension__ typedef unsigned __int128 Wide;

typedef struct NumpyRng {
    bool legacy; /* RandomState on mt; else Generator on PCG64 */
    Mt19937 mt;
    Wide state, inc;
    bool has_u32; /* the high half of the last 64 bits waits */
    uint32_t next_u32;
    bool has_gauss; /* legacy: the second of a pair waits */
    double gauss;
} NumpyRng;

/* default_rng(seed): seed's 32-bit words, low first, without leading zeros (0 is one word); for a sequence of
 * integers the words of all of them in order. */
void numpy_seed(NumpyRng *r, const uint32_t *words, size_t n);
void numpy_seed_int(NumpyRng *r, uint64_t seed);
void numpy_seed_legacy(NumpyRng *r, uint32_t seed); /* np.random.seed(seed) */
void numpy_seed_legacy_words(NumpyRng *r, const uint32_t *words,
                             size_t n); /* of a sequence; n >= 1 */
double numpy_unit(NumpyRng *r);
uint64_t numpy_u64(NumpyRng *r);
double numpy_gauss(NumpyRng *r);
uint64_t numpy_interval(NumpyRng *r, uint64_t most); /* 0 .. most, by rejection under a mask */
/* random, uniform, standard_normal, normal. f64; f32 of the Generator too for
 * random and standard_normal (low 0, high 1; loc 0, scale 1). */
bool numpy_uniform(NumpyRng *r, wf_dtype dtype, void *out, int64_t n, double low,
                   double high);
bool numpy_normal(NumpyRng *r, wf_dtype dtype, void *out, int64_t n, double loc,
                  double scale);
/* integers (Generator) and randint (RandomState): low .. low + range, both included, in an integer dtype or bool.
 * low and range are bits of 64-bit integers, so that every interval can be said. */
bool numpy_integers(NumpyRng *r, wf_dtype dtype, void *out, int64_t n, uint64_t low,
                    uint64_t range);
/* Places of 0 .. n-1 as shuffle moves them: out[i] is where element i of the result stood before. permutation(n) is
 * this itself. */
void numpy_permutation(NumpyRng *r, int64_t *out, int64_t n);
/* choice of m out of n. p NULL or n probabilities. Scratch in a, inside a region. Without replacement m <= n; with
 * p then at least m of them are not 0. shuffle matters for the Generator without replacement and without p. */
void numpy_choice(NumpyRng *r, Arena *a, int64_t *out, int64_t m, int64_t n, bool replace,
                  const double *p, bool shuffle);

/* ---- numpy_kinds.c ------------------------------------------------------------------------ */

typedef struct NumpyKind {
    const char *name; /* np.random's: "gamma" .. */
    bool whole;       /* its numbers are integers */
    double (*draw)(NumpyRng *r, const double *params); /* of parameters that NumPy takes: the caller has looked */
} NumpyKind;

const NumpyKind *numpy_kind(const char *name); /* NULL: there is none */

/* ---- python.c ----------------------------------------------------------------------------- */

typedef struct PythonRng {
    Mt19937 mt;
    bool has_gauss;
    double gauss;
} PythonRng;

void python_seed_int(PythonRng *r, int64_t seed);
void python_seed_words(PythonRng *r, const uint32_t *words,
                       size_t n); /* |seed|, low first; n may be 0 */
void python_seed_bytes(PythonRng *r, Arena *a, const char *s,
                       size_t n); /* str as UTF-8, or bytes */
void python_seed_float(PythonRng *r, double x);
double python_random(PythonRng *r);
uint64_t python_bits(PythonRng *r, int k);       /* getrandbits, 0 <= k <= 64 */
uint64_t python_below(PythonRng *r, uint64_t n); /* 0 .. n-1; n 0: 0, nothing drawn */
int64_t python_randint(PythonRng *r, int64_t a, int64_t b); /* a <= b, both included */
/* One of start, start+step .. below (above) stop; there is at least one. */
int64_t python_randrange(PythonRng *r, int64_t start, int64_t stop, int64_t step);
double python_uniform(PythonRng *r, double a, double b);
double python_triangular(PythonRng *r, double low, double high, double mode);
double python_gauss(PythonRng *r, double mu, double sigma);
double python_normalvariate(PythonRng *r, double mu, double sigma);
double python_expovariate(PythonRng *r, double lambda);
/* Places: out[i] is where element i of the result stood before. */
void python_shuffle(PythonRng *r, int64_t *out, int64_t n);
void python_sample(PythonRng *r, Arena *a, int64_t *out, int64_t k,
                   int64_t n); /* k <= n */
/* random.choices: weights NULL, or n of them, of sum > 0; scratch in a. */
void python_choices(PythonRng *r, Arena *a, int64_t *out, int64_t k, int64_t n,
                    const double *weights);

/* ---- threefry.c: a key is a value u32[2] -------------------------------------------------------
 *
 * dims: the shape of the result; constants, but for bits, uniform and what is made of them alone,
 * which take symbolic sizes. Bounds are scalars or values of the result's shape, of its dtype. After
 * an error in the builder all do nothing. */

/* jax.random.key(seed) for a host number. Without 64-bit types JAX keeps the low 32 bits of
 * a seed only, the bits of a negative one included: a front then passes (uint32_t)seed. */
void key_words(uint64_t seed, uint32_t out[2]);
Val b_key_seed(Builder *b, Val seed); /* of an integer scalar */
Val b_key_split(Builder *b, Val key, const Dim *dims, uint32_t rank); /* u32[dims.., 2] */
Val b_key_fold_in(Builder *b, Val key, Val data); /* data: an integer scalar */
Val b_key_at(Builder *b, Val keys, int64_t i);    /* key i of u32[n,2] */
Val b_random_bits(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                  uint32_t rank); /* u8 u16 u32 u64 */
Val b_random_uniform(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank,
                     Val low, Val high);
Val b_random_unit(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                  uint32_t rank); /* [0, 1) */
Val b_random_normal(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank);
Val b_random_truncated_normal(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                              uint32_t rank, Val low, Val high);
Val b_random_bernoulli(Builder *b, Val key, Val p, const Dim *dims,
                       uint32_t rank); /* bool */
Val b_random_exponential(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                         uint32_t rank);
Val b_random_gumbel(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank);
Val b_random_laplace(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank);
Val b_random_logistic(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                      uint32_t rank);
Val b_random_cauchy(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank);
Val b_random_rademacher(Builder *b, Val key, wf_dtype dtype, const Dim *dims,
                        uint32_t rank);
/* low .. high-1, of an integer dtype; low and high: scalars or of the shape, i64 where they may pass the dtype. */
Val b_random_randint(Builder *b, Val key, wf_dtype dtype, const Dim *dims, uint32_t rank,
                     Val low, Val high);
/* Samples from logits[.., axis, ..]: dims is prefix + the shape of logits without the axis. Results of index_dtype
 * (i32; i64 where 64-bit types are on). */
Val b_random_categorical(Builder *b, Val key, Val logits, uint32_t axis, const Dim *dims,
                         uint32_t rank, wf_dtype index_dtype);
/* x shuffled along axis (rows stay together), and 0 .. n-1 shuffled. */
Val b_random_permutation(Builder *b, Val key, Val x, uint32_t axis);
Val b_random_permutation_n(Builder *b, Val key, wf_dtype dtype, int64_t n);

/* ---- what a context keeps ------------------------------------------------------------- */

#define KEY_PROGRAMS 256

typedef struct KeyProgram {
    Hash signature; /* of the call it was made for */
    const Program *program;
} KeyProgram;

typedef struct KeyPrograms {
    KeyProgram v[KEY_PROGRAMS]; /* the last ones made */
    uint32_t next;
} KeyPrograms;

typedef struct RandomState {
    wf_generator *generator; /* the context's own, made at need */
    KeyPrograms programs;
    struct {
        wf_tensor key;
        int64_t used; /* keys made of it */
    } keys[16];
    int nkeys; /* open ones, inside each other */
} RandomState;

RandomState *random_state(wf_ctx *c); /* generator.c; made at need, NULL after an error */

#endif
