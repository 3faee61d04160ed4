# Elementwise functions: values, slopes at ordinary points and at kinks, in-place forms, out=.
import math
import torch

x = torch.tensor([-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 3.0])
u = torch.tensor([0.1, 0.25, 0.5, 0.75, 0.9])
for name in ("abs neg sign square exp exp2 expm1 sin cos tan atan sinh cosh tanh asinh erf sigmoid floor ceil round trunc "
             "frac relu deg2rad rad2deg isfinite isnan isinf logical_not").split():
    t = x.clone().requires_grad_()
    y = getattr(torch, name)(t)
    print(name, [round(v, 4) if isinstance(v, float) else v for v in y.tolist()])
    if y.requires_grad:
        y.sum().backward()
        print("  slope", [round(v, 4) for v in t.grad.tolist()])
for name in "log log2 log10 log1p sqrt rsqrt reciprocal asin acos atanh erfinv logit".split():
    t = u.clone().requires_grad_()
    y = getattr(torch, name)(t)
    y.sum().backward()
    print(name, [round(v, 4) for v in y.tolist()], [round(v, 3) for v in t.grad.tolist()])
a = torch.tensor([1.0, -2.0, 3.0, 0.5])
b = torch.tensor([2.0, -2.0, -1.0, 0.25])
for name in "add sub mul div pow fmod remainder atan2 maximum minimum hypot logaddexp eq ne lt le gt ge fmax fmin".split():
    print(name, getattr(torch, name)(a.abs() if name == "pow" else a, b))
for name in "maximum minimum".split():
    p, q = a.clone().requires_grad_(), b.clone().requires_grad_()
    getattr(torch, name)(p, q).sum().backward()
    print(name, p.grad, q.grad)
t = torch.tensor([-1.0, -0.5, 0.0, 0.5, 1.0], requires_grad=True)
t.clamp(-0.5, 0.5).sum().backward()
print("clamp", t.grad)
print(torch.clamp(x, min=0), torch.clamp(x, max=torch.tensor(0.5)), x.clip(-1, 1))
print(torch.add(a, b, alpha=2), torch.sub(a, b, alpha=0.5), a.add(1), torch.rsub(a, 1))
print(torch.div(a, b, rounding_mode="floor"), torch.div(a, b, rounding_mode="trunc"), a // b, a % b)
i = torch.tensor([7, -7, 5])
print(torch.div(i, 2, rounding_mode="trunc"), i // 2, i % 3, torch.fmod(i, 3), i / 2, i ** 2, 2 ** i.abs())
print(torch.bitwise_and(i, 3), i | 8, i ^ 1, ~i, i << 1, i >> 1)
print(torch.logical_and(a > 0, b > 0), torch.logical_or(a > 0, b > 0), torch.logical_xor(a > 0, b > 0))
print(torch.lerp(a, b, 0.25), torch.addcmul(a, b, b, value=0.5), torch.addcdiv(a, b, b, value=2))
print(torch.where(a > 0, a, b), torch.where(a > 0, 1.0, 0.0), torch.where(a > 0))
print(torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0]), nan=7.0, posinf=9.0))
print(torch.heaviside(x, torch.tensor(0.5)), torch.copysign(a, b), torch.sgn(a), torch.signbit(a))
print(torch.xlogy(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 2.0])), torch.sinc(torch.tensor([0.0, 0.5])))
print(torch.round(torch.tensor([1.2345, -1.2345]), decimals=2), torch.float_power(a.abs(), 2).dtype)
print(torch.gcd(torch.tensor([12, 18]), torch.tensor([8, 27])), torch.lcm(torch.tensor([4]), torch.tensor([6])))
print(torch.isclose(a, a + 1e-9), torch.allclose(a, a + 1e-3), torch.equal(a, a.clone()))
c = a.clone()
print(c.mul_(2).add_(1).sub_(0.5).div_(2), c.exp_().log_(), c.clamp_(0, 1), c.fill_(3), c.zero_(), c)
c.add_(torch.ones(4), alpha=3).pow_(2).neg_().abs_().sqrt_()
print(c, c.round_().floor_().ceil_().trunc_().sign_())
out = torch.empty(4)
r = torch.exp(a, out=out)
print(r is out, out, torch.add(a, b, out=out) is out, out, torch.mul(a, 2, out=out))
print(a.erf(), a.sigmoid(), a.reciprocal(), a.square(), (-a).relu())
print(5 - a, 1 / a, 2 ** a, -a, +a, abs(a), a @ b, 3 % b)
a += 1
a -= torch.tensor(0.5)
a *= 2
a /= 4
print(a, a.abs().pow(0.5), torch.pow(2, torch.tensor([1.0, 2.0])))
print(torch.erfc(u), torch.special.expit(u), torch.special.entr(u), torch.special.xlog1py(u, u))
