# Small answers: broadcast indices, numbers as vectors, views in place with a history, storages, transforms of half axes.
import torch
import torch.nn as nn
T = torch.tensor
print(torch.take_along_dim(torch.arange(6.).view(3, 2), T([[0], [1]]), 0), torch.take_along_dim(torch.arange(3.).view(3, 1), T([[0, 2]]), 0))
x = torch.arange(6.).view(3, 2)
print(torch.take_along_dim(x, x.argsort(1), 1), torch.take_along_dim(x, T([5, 0])))
for f in (lambda: torch.take_along_dim(x, T([0]), 0), lambda: torch.ones(2, 3, 4).t_(), lambda: torch.isin(T([True]), T([1])),
          lambda: torch.add(x, x, alpha=True), lambda: torch.diff(T(1.)), lambda: torch.cosine_similarity(T([1, 2]), T([3, 4]), dim=0),
          lambda: torch.fft.fft(torch.ones(2).half()), lambda: nn.Parameter(torch.ones(2, 3)).t_()):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(torch.norm(T(-2.), dim=0), torch.linalg.vector_norm(T(-2.), 2, 0, True), torch.nn.functional.normalize(T(2.), dim=0), torch.nn.functional.cosine_similarity(T(2.), T(3.), dim=0))


def turned(x):
    y = x * 2
    y.t_()
    y.mul_(torch.arange(6.).view(3, 2))
    return y


p = torch.ones(2, 3, requires_grad=True)
q = turned(p)
q.sum().backward()
print(q.detach(), p.grad, torch.func.grad(lambda x: turned(x).sum())(torch.ones(2, 3)))
print(torch.jit.trace(turned, torch.ones(2, 3), check_trace=False)(torch.full((2, 3), 2.)), torch.func.vmap(turned)(torch.ones(2, 2, 3)).shape)
z = (torch.ones(2, 1, 3, requires_grad=True) * 3)
z.squeeze_(1).unsqueeze_(0).transpose_(1, 2)
print(z.shape, z.requires_grad)
a = torch.arange(4.)
print(a.untyped_storage().data_ptr() == a[2:].untyped_storage().data_ptr(), a[2:].untyped_storage().nbytes(), len(a.storage()), a[1:].storage().tolist(), a.untyped_storage() == a.view(2, 2).untyped_storage())
print(a.storage(), a[:1].untyped_storage().size(), a.untyped_storage().data_ptr() == a.clone().untyped_storage().data_ptr())
a.storage()[1] = 9
print(a)


class Named(torch.Tensor):
    pass


n = torch.ones(2).as_subclass(Named)
print(type(n).__name__, isinstance(n, torch.Tensor), n + 1 is not None)
h = torch.fft.ihfftn(torch.arange(12.).view(3, 4))
print(h, torch.fft.hfftn(h, s=(3, 4)), torch.fft.hfft2(h, s=(3, 4), norm="ortho").shape, torch.fft.ihfft2(torch.ones(2, 3, 4), norm="ortho").shape)
print(nn.utils.skip_init(nn.Linear, 2, 3).weight.shape, nn.init.dirac(torch.ones(2, 2, 3)), torch.ones(2, 3).dim_order(), torch.Generator().device)
m = nn.Linear(2, 1, bias=False)
print(nn.utils.stateless.functional_call(m, {"weight": torch.ones(1, 2)}, (torch.ones(1, 2),)))
