# torch.nn.utils.parametrizations -- weights by norm and direction, orthogonal ones, ones of a bounded spectrum.
import torch
from torch.nn.modules.module import Module
from torch.nn.utils import parametrize


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def _norm(self, v):
        if self.dim == -1:
            return v.norm()
        return v.norm(dim=[i for i in range(v.ndim) if i != self.dim % v.ndim], keepdim=True)

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / self._norm(weight_v))

    def right_inverse(self, weight):
        return self._norm(weight), weight


def weight_norm(module, name="weight", dim=0):
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        self.dim, self.eps, self.n_power_iterations = dim if dim >= 0 else dim + weight.ndim, eps, n_power_iterations
        if weight.ndim > 1:
            m = self._matrix(weight)
            u, v = m.new_empty(m.shape[0]).normal_(0, 1), m.new_empty(m.shape[1]).normal_(0, 1)
            self.register_buffer("_u", torch.nn.functional.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", torch.nn.functional.normalize(v, dim=0, eps=eps))
            self._iterate(m, 15)

    def _matrix(self, w):
        if self.dim != 0:
            w = w.permute(self.dim, *[d for d in range(w.dim()) if d != self.dim])
        return w.flatten(1)

    def _iterate(self, m, n):
        with torch.no_grad():
            for _ in range(n):
                self._u.copy_(torch.nn.functional.normalize(torch.mv(m, self._v), dim=0, eps=self.eps))
                self._v.copy_(torch.nn.functional.normalize(torch.mv(m.T, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return torch.nn.functional.normalize(weight, dim=0, eps=self.eps)
        m = self._matrix(weight)
        if self.training:
            self._iterate(m.detach(), self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(m, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    weight = getattr(module, name)
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


class _Orthogonal(Module):
    def __init__(self, weight, map):
        super().__init__()
        self.map, self.shape = map, weight.shape
        self.base = None

    def forward(self, x):
        n, k = x.shape[-2:]
        wide = n < k
        if wide:
            x, n, k = x.mT, k, n
        a = x.tril()
        a = torch.cat([a, a.new_zeros(n, n - k)], -1) if n > k else a
        a = a - a.mT
        if self.map == "matrix_exp":
            q = torch.linalg.matrix_exp(a)
        else:
            eye = torch.eye(n, dtype=a.dtype)
            q = torch.linalg.solve(eye + a * -0.5, eye + a * 0.5)
        q = q[..., :k]
        if self.base is not None:
            q = self.base @ q
        return q.mT if wide else q

    def right_inverse(self, q):
        n, k = q.shape[-2:]
        wide = n < k
        t = q.mT if wide else q
        m = max(n, k)
        full = torch.linalg.qr(t, mode="complete")
        base = full[0] * torch.sign(torch.cat([full[1].diagonal(), torch.ones(m - min(n, k))])).unsqueeze(0)
        self.base = base
        return torch.zeros_like(q)


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    weight = getattr(module, name)
    if not use_trivialization:
        raise NotImplementedError("orthogonal: use_trivialization=True is here")
    map = orthogonal_map or ("matrix_exp" if weight.shape[-2] == weight.shape[-1] or weight.is_complex() else "householder")
    if map == "householder":
        raise NotImplementedError("orthogonal: maps 'matrix_exp' and 'cayley' are here; 'householder', the default of "
                                  "matrices that are not square, is not")
    parametrize.register_parametrization(module, name, _Orthogonal(weight, map), unsafe=True)
    return module
