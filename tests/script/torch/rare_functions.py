# Functions and methods that few programs use.
import torch


def show(name, f):
    try:
        v = f()
        v = v if isinstance(v, (tuple, list)) else [v]
        print(name, [(str(x.dtype)[6:], tuple(x.shape), [round(float(y), 4) for y in x.detach().double().reshape(-1)[:14]]) if isinstance(x, torch.Tensor) else x for x in v])
    except Exception as e:
        print(name, type(e).__name__, str(e)[:110])


x = torch.arange(12.0).reshape(3, 4)
show("put", lambda: x.put(torch.tensor([0, -1, 5]), torch.tensor([9.0, 8.0, 7.0])))
show("put add", lambda: torch.put(x, torch.tensor([[1, 1]]), torch.tensor([[9.0, 8.0]]), accumulate=True))
show("put_", lambda: x.clone().put_(torch.tensor([0]), torch.tensor([9.0])))
show("put bad", lambda: x.put(torch.tensor([40]), torch.tensor([9.0])))
show("put dtype", lambda: x.put(torch.tensor([0]), torch.tensor([9])))
for r in ("prod", "mean", "amax", "amin"):
    show(r, lambda: x.index_reduce(0, torch.tensor([0, 2, 0]), x + 1, r))
    show(r, lambda: x.clone().index_reduce_(1, torch.tensor([1, 1]), x[:, :2] - 3, r, include_self=False))
show("reduce bad", lambda: x.index_reduce(0, torch.tensor([0]), x[:1], "sum"))
show("select", lambda: x.select_scatter(torch.ones(4), 0, 1))
show("slice", lambda: x.slice_scatter(torch.ones(3, 2), 1, 0, None, 2))
show("slice", lambda: torch.slice_scatter(x, torch.ones(2, 4), start=1))
show("slice bad", lambda: torch.slice_scatter(x, torch.ones(1, 4), start=1))
show("diagonal", lambda: x.diagonal_scatter(torch.ones(3), 1))
show("strided", lambda: torch.as_strided_scatter(x, torch.ones(2, 2), (2, 2), (1, 5)))
w = x.clone().requires_grad_()
s = torch.ones(4, requires_grad=True)
show("select grad", lambda: torch.autograd.grad((w.select_scatter(s, 0, 1) * x).sum(), (w, s)))
v = torch.tensor([-3.5, 0.0, 1.0, 1e-30, 7.0, float("inf"), float("nan"), 0.4999999])
show("frexp", lambda: tuple(torch.frexp(v)))
show("frexp 64", lambda: tuple(v.double().frexp()))
show("ldexp", lambda: torch.ldexp(torch.tensor([1.5, -2.0]), torch.tensor([3, -1])))
show("nextafter", lambda: (torch.nextafter(v, torch.full_like(v, 2.0)) - v) * 1e7)
show("igamma", lambda: (torch.igamma(torch.tensor([1.0, 3.0]), torch.tensor([0.5, 40.0])), torch.tensor([1.0, 3.0]).igammac(torch.tensor([0.5, 40.0]))))
show("i0", lambda: (torch.i0(torch.tensor([0.0, 1.0, -5.0])), torch.tensor([0.3]).i0_()))
show("split", lambda: x.split_with_sizes([1, 3], 1))
show("nonzero", lambda: torch.nonzero_static(torch.tensor([0, 3, 0, 2]), size=4, fill_value=-7))
show("nonzero", lambda: torch.nonzero_static(torch.tensor([[1, 3], [0, 2]]), size=2))
show("signed", lambda: [torch.is_signed(torch.zeros(1, dtype=d)) for d in (torch.uint8, torch.int8, torch.float32, torch.bool)])
show("kaiser", lambda: (torch.kaiser_window(5), torch.kaiser_window(6, False, 3.0), torch.kaiser_window(1)))
show("pad", lambda: torch.constant_pad_nd(x, (1, 0), 5.0))
show("norms", lambda: (torch.nuclear_norm(x), torch.norm_except_dim(x, 2, 1)))
show("map2", lambda: x.clone().map2_(x, x, lambda a, b, c: a + b * c))
show("swap", lambda: (x.clone().swapaxes_(0, 1), x.clone().swapdims_(1, 0)))
show("resize", lambda: torch.arange(4.0).resize_as_(torch.zeros(2, 2)))
u = torch.tensor([0.25, -0.5, 0.75])
for name in "absolute_ arccos_ arcsin_ arctan_ arctanh_ arcsinh_ erfc_ fix_ conj_physical_".split():
    show(name, lambda: getattr(u.clone(), name)())
for name, other in (("greater_", 0.0), ("greater_equal_", 0.25), ("less_", 0.0), ("less_equal_", 0.0), ("not_equal_", 0.25)):
    show(name, lambda: getattr(u.clone(), name)(other))
k = torch.tensor([1, 2, 5])
show("shifts", lambda: (k.clone().bitwise_left_shift_(2), k.clone().bitwise_right_shift_(1), k.clone().bitwise_not_(), k.clone().logical_xor_(torch.tensor([0, 1, 0]))))
show("hypot", lambda: (u.clone().hypot_(u), u.clone().arctan2_(u), u.clone().ldexp_(torch.tensor(2))))
show("methods", lambda: (x.svd()[1], (x + torch.eye(3, 4) * 9).pinverse(), (x.T @ x / 90).matrix_exp(), u.diagflat(), u.prelu(torch.tensor([0.1])), u.hardshrink(0.3)))
print(torch.frexp(torch.tensor([3.4028234663852886e38, 1e-45, 0.0, float("inf"), 7.9999995, -3.7])))
print(torch.frexp(torch.tensor([1.7976931348623157e308, 5e-324, 7.999999999999999], dtype=torch.float64)))
print(torch.frexp(torch.tensor([1.5, 65504., 6e-8], dtype=torch.float16)))
