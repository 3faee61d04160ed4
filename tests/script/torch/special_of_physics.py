# Functions of Bessel and Airy, orthogonal polynomials, the normal distribution's.
import torch
sp = torch.special
x = torch.tensor([-30., -12.5, -3.2, -1.0, -0.4, 0.0, 1e-3, 0.3, 0.9, 1.0, 2.5, 7.9, 13.0, 24.0, 60.0, float("inf"), float("nan")], dtype=torch.float64)
for n in "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 erfcx i0 i0e i1 i1e modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 ndtr log_ndtr entr".split():
    for d in (torch.float64, torch.float32):
        print(n, d, ["%.4g" % float(v) for v in getattr(sp, n)(x.to(d))])
p = torch.tensor([0.0, 1e-30, 1e-8, 0.01, 0.3, 0.5, 0.7, 0.999, 1.0, -1.0, 2.0, float("nan")])
print("ndtri", ["%.5g" % float(v) for v in sp.ndtri(p)])
y = torch.tensor([-1.5, -1.0, -0.3, 0.0, 0.7, 1.0, 2.0])
for n in "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p".split():
    for k in (-1, 0, 1, 2, 5):
        print(n, k, ["%.4g" % (float(v)+0.0) for v in getattr(sp, n)(y, torch.tensor(float(k)))])
    print(n, ["%.4g" % float(v) for v in getattr(sp, n)(y, 3)], getattr(sp, n)(y, torch.arange(7)).dtype)
print(sp.xlog1py(torch.tensor([0.0, 0.0, 2.0]), torch.tensor([float("nan"), float("inf"), 3.0])), sp.xlog1py(2, torch.tensor([1, 2])))
for n in ("i0", "i0e", "i1", "i1e", "erfcx", "log_ndtr", "ndtri", "entr"):
    z = torch.tensor([0.2, 0.5, 0.9], dtype=torch.float64, requires_grad=True)
    print(n, ["%.6g" % v for v in torch.autograd.grad(getattr(sp, n)(z).sum(), z)[0].tolist()])
a = torch.tensor([0.0, 0.5, 1.0, 1.0, 3.0, 20.0, float("inf"), -1.0, 0.0], dtype=torch.float64)
x = torch.tensor([2.0, 0.1, 50.0, 0.3, 40.0, 5.0, 2.7, 1.0, 0.0], dtype=torch.float64)
print(["%.6g" % v for v in sp.gammainc(a, x).tolist()], ["%.6g" % v for v in sp.gammaincc(a, x).tolist()])
