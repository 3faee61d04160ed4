# Orthogonal factors, what follows from them, and their gradients.
import torch

x = torch.tensor([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0], [2.0, 0.0, 5.0]], dtype=torch.float64)
tall = x[:, :2]

w, v = torch.linalg.eigh(x)
print(w)
print(torch.allclose(v @ torch.diag(w) @ v.T, x), torch.allclose(v.T @ v, torch.eye(3, dtype=x.dtype)))
print(torch.linalg.eigvalsh(x, UPLO="U"))
u, s, vh = torch.linalg.svd(tall)
print(u.shape, s, vh.shape)
print(torch.allclose(u[:, :2] @ torch.diag(s) @ vh, tall), torch.allclose(u @ u.T, torch.eye(3, dtype=x.dtype)))
u, s, vh = torch.linalg.svd(tall.T)
print(u.shape, s, vh.shape, torch.allclose(vh @ vh.T, torch.eye(3, dtype=x.dtype)))
u, s, v = torch.svd(x)
print(s, torch.allclose(u @ torch.diag(s) @ v.T, x))
print(torch.linalg.qr(x))
print(torch.linalg.qr(tall, mode="complete").Q.shape, torch.linalg.qr(tall, mode="r").R)
print(torch.linalg.matrix_rank(x), torch.linalg.matrix_rank(torch.ones(3, 3)), torch.linalg.matrix_rank(x, atol=2.0))
print(torch.linalg.cond(x), torch.linalg.cond(x, -2), torch.linalg.cond(x, 1))
print(torch.linalg.pinv(tall))
print(torch.linalg.norm(x, 2), torch.linalg.matrix_norm(x, "nuc"), torch.linalg.matrix_norm(x[None], -2, keepdim=True))
print(torch.linalg.lstsq(tall, torch.ones(3, 1, dtype=x.dtype)))
print(torch.linalg.lu(tall))
print(torch.linalg.lu_factor(x.flip(0)))
print(torch.linalg.svdvals(torch.stack([x, 2 * x])))


def gradient(f):
    y = x.clone().requires_grad_()
    f(y).backward()
    return y.grad


torch.set_printoptions(precision=3, sci_mode=False)
print(gradient(lambda y: torch.linalg.eigvalsh(y).prod()))
print(gradient(lambda y: (torch.linalg.eigh(y)[1] ** 4).sum()))
print(gradient(lambda y: (torch.linalg.svdvals(y[:, :2]) ** 3).sum()))
print(gradient(lambda y: (torch.linalg.svd(y[:, :2], full_matrices=False).U ** 4).sum()))
print(gradient(lambda y: (torch.linalg.qr(y)[0] ** 3).sum()))
print(gradient(lambda y: torch.linalg.pinv(y[:, :2]).sum()))
print(gradient(lambda y: torch.linalg.lstsq(y[:, :2], torch.ones(3, 1, dtype=x.dtype)).solution.sum()))
try:
    torch.linalg.qr(x, mode="thin")
except RuntimeError as e:
    print(e)
try:
    torch.linalg.eigh(tall)
except RuntimeError as e:
    print(e)
