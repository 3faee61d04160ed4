/* numpy_kinds.c -- np.random's distributions beyond uniform, normal and bounded integers.
 *
 * A kind makes one number of at most three parameters. RandomState and Generator mostly share the method and differ in
 * what it draws: normals (polar or ziggurat) and exponentials (by logarithm or ziggurat). Where NumPy changed a method
 * for the Generator and kept the old one for RandomState, both stand here. Methods: gamma by Marsaglia and Tsang (2000),
 * beta by Joehnk, binomial by inversion and BTPE (Kachitvichyanukul and Schmeiser 1988), Poisson by products and PTRS
 * (Hoermann 1993), hypergeometric by draws and HRUA (Stadlober 1989), von Mises by Best and Fisher (1979), logarithmic
 * series by Kemp (1981), Zipf by Devroye (1986, X.6).
 */
#include "random/random.h"
#include "random/ziggurat.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- exponential and gamma ------------------------------------------------------------------- */

/* Of 64 bits: the lowest 3 are dropped, 8 choose the layer, 53 the place in it. */
static double exponential_ziggurat(NumpyRng *r)
{
    for (;;) {
        uint64_t bits = numpy_u64(r) >> 3, at = bits >> 8;
        int layer = (int)(bits & 0xff);
        double x = (double)at * ziggurat_exp_w[layer], f;

        if (at < ziggurat_exp_k[layer])
            return x;
        if (layer == 0)
            return ZIGGURAT_EXP_R - log1p(-numpy_unit(r));
        f = ziggurat_exp_f[layer];
        if ((ziggurat_exp_f[layer - 1] - f) * numpy_unit(r) + f < exp(-x))
            return x;
    }
}

static double exponential(NumpyRng *r) { return r->legacy ? -log(1 - numpy_unit(r)) : exponential_ziggurat(r); }

/* Below 1, by Ahrens and Dieter's rejection with an exponential. */
static double gamma_small(NumpyRng *r, double shape)
{
    for (;;) {
        double u = numpy_unit(r), e = exponential(r), x, y = 0;

        if (u <= 1 - shape) {
            x = pow(u, 1 / shape);
        } else {
            y = -log((1 - u) / shape);
            x = pow(1 - shape + shape * y, 1 / shape);
        }
        if (x <= e + y)
            return x;
    }
}

static double gamma_unit(NumpyRng *r, double shape)
{
    double b = shape - 1.0 / 3.0, c = 1 / sqrt(9 * b), x, v, u;

    if (shape == 1)
        return exponential(r);
    if (shape == 0)
        return 0;
    if (shape < 1)
        return gamma_small(r, shape);
    for (;;) {
        do {
            x = numpy_gauss(r);
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        u = numpy_unit(r);
        if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + b * (1 - v + log(v)))
            return b * v;
    }
}

static double chisquare(NumpyRng *r, double df) { return 2 * gamma_unit(r, df / 2); }

static double k_exponential(NumpyRng *r, const double *p) { return p[0] * exponential(r); }
static double k_gamma(NumpyRng *r, const double *p) { return p[1] * gamma_unit(r, p[0]); }
static double k_chisquare(NumpyRng *r, const double *p) { return chisquare(r, p[0]); }

static double k_f(NumpyRng *r, const double *p)
{
    double above = chisquare(r, p[0]) * p[1];

    return above / (chisquare(r, p[1]) * p[0]);
}

static double k_standard_t(NumpyRng *r, const double *p)
{
    double x = numpy_gauss(r);

    return sqrt(p[0] / 2) * x / sqrt(gamma_unit(r, p[0] / 2));
}

static double beta_joehnk(NumpyRng *r, double a, double b)
{
    for (;;) {
        double u = numpy_unit(r), v = numpy_unit(r), x = pow(u, 1 / a), y = pow(v, 1 / b);

        if (x + y > 1 || (x + y <= 0 && !r->legacy && (u == 0 || v == 0)))
            continue;
        if (x + y > 0)
            return x / (x + y);
        x = log(u) / a;
        y = log(v) / b;
        u = fmax(x, y);
        return exp(x - u - log(exp(x - u) + exp(y - u)));
    }
}

static double k_beta(NumpyRng *r, const double *p)
{
    double a;

    if (p[0] <= 1 && p[1] <= 1)
        return beta_joehnk(r, p[0], p[1]);
    a = gamma_unit(r, p[0]);
    return a / (a + gamma_unit(r, p[1]));
}

/* ---- of one uniform, normal or exponential --------------------------------------------------- */

static double k_standard_cauchy(NumpyRng *r, const double *p)
{
    double above = numpy_gauss(r);

    (void)p;
    return above / numpy_gauss(r);
}

static double k_pareto(NumpyRng *r, const double *p)
{
    double x = exponential(r) / p[0];

    return r->legacy ? exp(x) - 1 : expm1(x);
}

static double k_power(NumpyRng *r, const double *p)
{
    double x = exponential(r);

    return pow(r->legacy ? 1 - exp(-x) : -expm1(-x), 1 / p[0]);
}

static double k_lognormal(NumpyRng *r, const double *p) { return exp(p[0] + p[1] * numpy_gauss(r)); }
static double k_weibull(NumpyRng *r, const double *p) { return p[0] == 0 ? 0 : pow(exponential(r), 1 / p[0]); }

static double k_rayleigh(NumpyRng *r, const double *p)
{
    return p[0] * (r->legacy ? sqrt(-2 * log1p(-numpy_unit(r))) : sqrt(2 * exponential(r)));
}

/* A uniform number that is not 0. */
static double unit_open(NumpyRng *r)
{
    double u;

    do
        u = numpy_unit(r);
    while (u <= 0);
    return u;
}

static double k_laplace(NumpyRng *r, const double *p)
{
    double u = unit_open(r);

    return u >= 0.5 ? p[0] - p[1] * log(2 - u - u) : p[0] + p[1] * log(u + u);
}

static double k_gumbel(NumpyRng *r, const double *p) { return p[0] - p[1] * log(-log(1 - unit_open(r))); }

static double k_logistic(NumpyRng *r, const double *p)
{
    double u = unit_open(r);

    return p[0] + p[1] * log(u / (1 - u));
}

static double k_triangular(NumpyRng *r, const double *p) /* left, mode, right */
{
    double base = p[2] - p[0], u = numpy_unit(r);

    return u <= (p[1] - p[0]) / base ? p[0] + sqrt(u * ((p[1] - p[0]) * base))
                                     : p[2] - sqrt((1 - u) * ((p[2] - p[1]) * base));
}

static double k_wald(NumpyRng *r, const double *p) /* mean, scale */
{
    double mean = p[0], y = numpy_gauss(r), x;

    if (r->legacy) {
        y = mean * y * y;
        x = mean + mean / (2 * p[1]) * (y - sqrt(4 * p[1] * y + y * y));
    } else {
        y = mean * y * y;
        x = mean * (1 - 2 / (1 + sqrt(1 + 4 * p[1] / y)));
    }
    return numpy_unit(r) <= mean / (mean + x) ? x : mean * mean / x;
}

static double wrapped(double x)
{
    double m = fmod(fabs(x) + pi, 2 * pi) - pi;

    return x < 0 ? -m : m;
}

static double k_vonmises(NumpyRng *r, const double *p) /* mu, kappa */
{
    double kappa = p[1], s, rho, root, z, w, y, v;

    if (kappa < 1e-8)
        return pi * (2 * numpy_unit(r) - 1);
    if (kappa < 1e-5) {
        s = 1 / kappa + kappa;
    } else if (!r->legacy && kappa > 1e6) { /* a normal that is wrapped */
        s = p[0] + sqrt(1 / kappa) * numpy_gauss(r);
        return s < -pi ? s + 2 * pi : s > pi ? s - 2 * pi : s;
    } else {
        root = 1 + sqrt(1 + 4 * kappa * kappa);
        rho = (root - sqrt(2 * root)) / (2 * kappa);
        s = (1 + rho * rho) / (2 * rho);
    }
    do {
        z = cos(pi * numpy_unit(r));
        w = (1 + s * z) / (s + z);
        y = kappa * (s - w);
        v = numpy_unit(r);
    } while (y * (2 - y) - v < 0 && log(y / v) + 1 - y < 0);
    w = acos(w);
    return wrapped((numpy_unit(r) < 0.5 ? -w : w) + p[0]);
}

/* ---- whole numbers ---------------------------------------------------------------------------- */

static double poisson_product(NumpyRng *r, double lam)
{
    double least = exp(-lam), product = numpy_unit(r), n = 0;

    for (; product > least; n++)
        product *= numpy_unit(r);
    return n;
}

static double poisson_rejection(NumpyRng *r, double lam)
{
    double root = sqrt(lam), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    double scale = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2), logarithm = log(lam);

    for (;;) {
        double u = numpy_unit(r) - 0.5, v = numpy_unit(r), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + lam + 0.43);

        if (us >= 0.07 && v <= inside)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v) + log(scale) - log(a / (us * us) + b) <= -lam + k * logarithm - lgamma(k + 1))
            return k;
    }
}

static double k_poisson(NumpyRng *r, const double *p)
{
    return p[0] >= 10 ? poisson_rejection(r, p[0]) : p[0] > 0 ? poisson_product(r, p[0]) : 0;
}

static double k_negative_binomial(NumpyRng *r, const double *p)
{
    double lam = (1 - p[1]) / p[1] * gamma_unit(r, p[0]);

    return k_poisson(r, &lam);
}

static double k_noncentral_chisquare(NumpyRng *r, const double *p) /* df, nonc */
{
    double half = p[1] / 2, x;

    if (p[1] == 0)
        return chisquare(r, p[0]);
    if (p[0] <= 1)
        return chisquare(r, p[0] + 2 * k_poisson(r, &half));
    half = chisquare(r, p[0] - 1);
    x = numpy_gauss(r) + sqrt(p[1]);
    return half + x * x;
}

static double k_noncentral_f(NumpyRng *r, const double *p) /* dfnum, dfden, nonc */
{
    double above = k_noncentral_chisquare(r, (double[]){p[0], p[2]}) * p[1];

    return above / (chisquare(r, p[1]) * p[0]);
}

static double binomial_inversion(NumpyRng *r, double n, double p)
{
    double q = 1 - p, none = exp(n * log(q)), np = n * p, most = floor(fmin(n, np + 10 * sqrt(np * q + 1)));
    double k = 0, px = none, u = numpy_unit(r);

    while (u > px) {
        if (++k > most) {
            k = 0;
            px = none;
            u = numpy_unit(r);
        } else {
            u -= px;
            px = (n - k + 1) * p * px / (k * q);
        }
    }
    return k;
}

/* What BTPE knows of n and p: a triangle, two parallelograms and two exponential tails over the density. */
typedef struct Btpe {
    double n, r, q, m, p1, xm, xl, xr, c, laml, lamr, p2, p3, p4;
} Btpe;

static Btpe btpe_of(double n, double p)
{
    Btpe b = {.n = n, .r = fmin(p, 1 - p)};
    double fm, a;

    b.q = 1 - b.r;
    fm = n * b.r + b.r;
    b.m = floor(fm);
    b.p1 = floor(2.195 * sqrt(n * b.r * b.q) - 4.6 * b.q) + 0.5;
    b.xm = b.m + 0.5;
    b.xl = b.xm - b.p1;
    b.xr = b.xm + b.p1;
    b.c = 0.134 + 20.5 / (15.3 + b.m);
    a = (fm - b.xl) / (fm - b.xl * b.r);
    b.laml = a * (1 + a / 2);
    a = (b.xr - fm) / (b.xr * b.q);
    b.lamr = a * (1 + a / 2);
    b.p2 = b.p1 * (1 + 2 * b.c);
    b.p3 = b.p2 + b.c / b.laml;
    b.p4 = b.p3 + b.c / b.lamr;
    return b;
}

static double stirling(double x)
{
    double s = x * x;

    return (13680 - (462 - (132 - (99 - 140 / s) / s) / s) / s) / x / 166320;
}

/* Is v below the density at y, divided by that at the mode? */
static bool btpe_accepts(const Btpe *b, double y, double v)
{
    double k = fabs(y - b->m), nrq = b->n * b->r * b->q, s = b->r / b->q, a = s * (b->n + 1), f = 1, rho, t, i;
    double x1 = y + 1, f1 = b->m + 1, z = b->n + 1 - b->m, w = b->n - y + 1;

    if (k <= 20 || k >= nrq / 2 - 1) {
        for (i = b->m + 1; i <= y; i++)
            f *= a / i - s;
        for (i = y + 1; i <= b->m; i++)
            f /= a / i - s;
        return v <= f;
    }
    rho = k / nrq * ((k * (k / 3 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    t = -k * k / (2 * nrq);
    a = log(v);
    if (a < t - rho || a > t + rho)
        return a < t - rho;
    return a <= b->xm * log(f1 / x1) + (b->n - b->m + 0.5) * log(z / w) + (y - b->m) * log(w * b->r / (x1 * b->q)) +
                    stirling(f1) + stirling(z) + stirling(x1) + stirling(w);
}

static double binomial_btpe(NumpyRng *rng, double n, double p)
{
    Btpe b = btpe_of(n, p);

    for (;;) {
        double u = numpy_unit(rng) * b.p4, v = numpy_unit(rng), x, y;

        if (u <= b.p1)
            return floor(b.xm - b.p1 * v + u);
        if (u <= b.p2) {
            x = b.xl + (u - b.p1) / b.c;
            v = v * b.c + 1 - fabs(b.m - x + 0.5) / b.p1;
            if (v > 1)
                continue;
            y = floor(x);
        } else if (u <= b.p3) {
            y = floor(b.xl + log(v) / b.laml);
            if (y < 0 || v <= 0)
                continue;
            v *= (u - b.p2) * b.laml;
        } else {
            y = floor(b.xr - log(v) / b.lamr);
            if (y > n || v <= 0)
                continue;
            v *= (u - b.p3) * b.lamr;
        }
        if (btpe_accepts(&b, y, v))
            return y;
    }
}

static double k_binomial(NumpyRng *r, const double *p) /* n, p */
{
    double n = p[0], least = fmin(p[1], 1 - p[1]), k;

    if (n == 0 || p[1] == 0)
        return r->legacy && n != 0 ? (numpy_unit(r), 0) : 0;
    k = least * n <= 30 ? binomial_inversion(r, n, least) : binomial_btpe(r, n, least);
    return p[1] <= 0.5 ? k : n - k;
}

static double k_geometric(NumpyRng *r, const double *p)
{
    double sum = p[0], product = p[0], n = 1, u;

    if (p[0] < 1.0 / 3.0)
        return r->legacy ? ceil(log1p(-numpy_unit(r)) / log(1 - p[0])) : ceil(-exponential(r) / log1p(-p[0]));
    for (u = numpy_unit(r); u > sum; n++) {
        product *= 1 - p[0];
        sum += product;
    }
    return n;
}

static double k_logseries(NumpyRng *r, const double *p)
{
    double least = log1p(-p[0]);

    for (;;) {
        double v = numpy_unit(r), q, n;

        if (v >= p[0])
            return 1;
        q = -expm1(least * numpy_unit(r));
        if (v > q * q)
            return v >= q ? 1 : 2;
        n = floor(1 + log(v) / log(q));
        if (n >= 1 && v > 0)
            return n;
    }
}

static double k_zipf(NumpyRng *r, const double *p)
{
    double a = p[0] - 1, b = pow(2, a), least = pow(0x1p63, -a);

    if (p[0] >= 1025)
        return 1;
    for (;;) {
        double u = numpy_unit(r), v = numpy_unit(r), x = floor(pow(u * least + (1 - u), -1 / a)), t;

        if (x < 1 || x > 0x1p63)
            continue;
        t = pow(1 + 1 / x, a);
        if (v * x * (t - 1) / (b - 1) <= t / b)
            return x;
    }
}

/* ---- hypergeometric: good and bad in an urn, some are drawn ------------------------------------ */

static double urn_legacy(NumpyRng *r, double good, double bad, double sample)
{
    double least = fmin(good, bad), left = least, k = sample;

    while (left > 0) {
        left -= floor(numpy_unit(r) + left / (bad + good - sample + k));
        if (--k <= 0)
            break;
    }
    return good > bad ? sample - (least - left) : least - left;
}

static double urn_by_one(NumpyRng *r, double good, double bad, double sample)
{
    double all = good + bad, left = good;
    bool most = sample > floor(all / 2);
    double k = most ? all - sample : sample;

    for (; k > 0 && left > 0 && all > left; k--) {
        all--;
        if ((double)numpy_interval(r, (uint64_t)all) < left)
            left--;
    }
    if (all <= left)
        left -= k;
    return most ? left : good - left;
}

static double urn_by_ratio(NumpyRng *r, double good, double bad, double sample)
{
    double least = fmin(good, bad), most = fmax(good, bad), all = good + bad, m = fmin(sample, all - sample);
    double p = least / all, q = r->legacy ? 1 - p : most / all, a = m * p + 0.5;
    double c = sqrt((all - m) * (r->legacy ? sample : m) * p * q / (all - 1) + 0.5);
    double h = 1.7155277699214135 * c + 0.8989161620588988; /* 2 sqrt(2/e) and 3 - 2 sqrt(3/e) */
    double mode = floor((m + 1) * (least + 1) / (all + 2)), end = fmin(fmin(m, least) + 1, floor(a + 16 * c)), k, t;
    double top = lgamma(mode + 1) + lgamma(least - mode + 1) + lgamma(m - mode + 1) + lgamma(most - m + mode + 1);

    for (;;) {
        double u = numpy_unit(r), x = a + h * (numpy_unit(r) - 0.5) / u;

        if (x < 0 || x >= end)
            continue;
        k = floor(x);
        t = top - (lgamma(k + 1) + lgamma(least - k + 1) + lgamma(m - k + 1) + lgamma(most - m + k + 1));
        if (u * (4 - u) - 3 <= t)
            break;
        if (u * (u - t) < 1 && 2 * log(u) <= t)
            break;
    }
    if (good > bad)
        k = m - k;
    return m < sample ? good - k : k;
}

static double k_hypergeometric(NumpyRng *r, const double *p) /* good, bad, sample */
{
    if (r->legacy)
        return p[2] > 10 ? urn_by_ratio(r, p[0], p[1], p[2]) : p[2] > 0 ? urn_legacy(r, p[0], p[1], p[2]) : 0;
    return (p[2] >= 10 && p[2] <= p[0] + p[1] - 10 ? urn_by_ratio : urn_by_one)(r, p[0], p[1], p[2]);
}

/* ---- all --------------------------------------------------------------------------------------- */

static const NumpyKind kinds[] = {
    {"beta", false, k_beta},
    {"binomial", true, k_binomial},
    {"chisquare", false, k_chisquare},
    {"exponential", false, k_exponential},
    {"f", false, k_f},
    {"gamma", false, k_gamma},
    {"geometric", true, k_geometric},
    {"gumbel", false, k_gumbel},
    {"hypergeometric", true, k_hypergeometric},
    {"laplace", false, k_laplace},
    {"logistic", false, k_logistic},
    {"lognormal", false, k_lognormal},
    {"logseries", true, k_logseries},
    {"negative_binomial", true, k_negative_binomial},
    {"noncentral_chisquare", false, k_noncentral_chisquare},
    {"noncentral_f", false, k_noncentral_f},
    {"pareto", false, k_pareto},
    {"poisson", true, k_poisson},
    {"power", false, k_power},
    {"rayleigh", false, k_rayleigh},
    {"standard_cauchy", false, k_standard_cauchy},
    {"standard_t", false, k_standard_t},
    {"triangular", false, k_triangular},
    {"vonmises", false, k_vonmises},
    {"wald", false, k_wald},
    {"weibull", false, k_weibull},
    {"zipf", true, k_zipf},
};

const NumpyKind *numpy_kind(const char *name)
{
    for (int i = 0; i < COUNT(kinds); i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}
