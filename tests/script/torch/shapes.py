# Shapes, joining and splitting, indexing, scattering, views and writes through them.
import torch

x = torch.arange(24).reshape(2, 3, 4)
print(x.view(6, 4).shape, x.view(-1, 2).shape, x.reshape(4, -1).shape, x.permute(2, 0, 1).shape, x.transpose(0, 2).stride())
print(x.flatten().shape, x.flatten(1).shape, torch.flatten(x, 0, 1).shape, x.unflatten(2, (2, 2)).shape, x.ravel()[:3])
print(x.unsqueeze(0).shape, x.unsqueeze(-1).shape, x[None, :, 0:1].squeeze().shape, x.mT.shape, x[0].T.shape, x[0].t().shape)
print(x.expand(3, 2, 3, 4).shape, torch.ones(3, 1).expand(-1, 4).shape, torch.ones(2).expand_as(torch.ones(3, 2)).shape)
print(x.movedim(0, 2).shape, torch.movedim(x, (0, 1), (2, 0)).shape, x.swapaxes(0, 1).shape, x.moveaxis(-1, 0).shape)
a, b = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
print(torch.cat([a, b]), torch.cat([a, b], 1).shape, torch.stack([a, b], 2).shape, torch.hstack([a, b]).shape, torch.vstack([a[0], b[0]]))
print(torch.dstack([a, b]).shape, torch.column_stack([a[0], b[0]]), torch.cat([a, torch.tensor([[1, 2, 3]])]).dtype)
print([p.tolist() for p in torch.arange(7).split(3)], [p.shape for p in x.split([1, 3], dim=2)], [p.tolist() for p in torch.arange(7).chunk(3)])
print([p.tolist() for p in torch.tensor_split(torch.arange(7), 3)], [p.tolist() for p in torch.tensor_split(torch.arange(7), (2, 5))], [t.tolist() for t in a.unbind(1)])
print(a.repeat(2, 1).shape, a.repeat(2, 1, 2).shape, a.tile((2,)).shape, torch.repeat_interleave(a, 2, dim=0).shape, a.repeat_interleave(torch.tensor([1, 2]), dim=0))
print(a.flip(1), a.flip([0, 1]), torch.fliplr(a), torch.flipud(a), a.roll(1), a.roll((1, 1), (0, 1)), torch.rot90(a), torch.rot90(a, 2), torch.rot90(a, -1))
print(torch.tril(torch.ones(3, 3)), torch.triu(torch.ones(3, 3), 1), torch.diag(torch.tensor([1, 2])), torch.diag(torch.arange(9).reshape(3, 3), 1), torch.diagonal(x, 0, 1, 2))
print(torch.diag_embed(torch.tensor([[1, 2], [3, 4]])), torch.diag_embed(torch.tensor([1, 2]), offset=1), torch.block_diag(torch.ones(1, 2), torch.ones(2, 1)))
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy")[0], torch.cartesian_prod(torch.arange(2), torch.arange(2)), torch.combinations(torch.arange(3), 2))
print(torch.atleast_2d(torch.tensor(1.0)).shape, torch.broadcast_to(torch.arange(3), (2, 3)), torch.broadcast_shapes((2, 1), (3,)), torch.vander(torch.tensor([1, 2, 3])))
print(torch.narrow(x, 1, 1, 2).shape, x.select(1, 2), x.index_select(2, torch.tensor([3, 0])).shape, torch.take(x, torch.tensor([0, 23])), x.unfold(2, 2, 1).shape)
print(torch.gather(a, 1, torch.tensor([[2, 0], [1, 1]])), torch.take_along_dim(a, a.argsort(1, descending=True), 1))
print(torch.zeros(2, 3).scatter(1, torch.tensor([[0], [2]]), 5.0), torch.zeros(2, 3).scatter(1, torch.tensor([[0, 1], [2, 0]]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])))
print(torch.ones(3).scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([2.0, 3.0, 4.0]), reduce="prod"), torch.zeros(3).scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([2.0, 3.0, 4.0]), reduce="amax", include_self=False), torch.zeros(3).scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([2.0, 3.0, 4.0]), reduce="mean", include_self=False))
print(a.index_add(0, torch.tensor([1, 1]), b), a.index_copy(1, torch.tensor([0]), torch.tensor([[9.0], [8.0]])), a.index_fill(0, torch.tensor([0]), -1), a.index_put((torch.tensor([0, 1]), torch.tensor([1, 2])), torch.tensor(7.0)))
print(a.masked_fill(a > 2, 0), a.masked_select(a > 2), a.masked_scatter(a > 3, torch.tensor([70.0, 80.0])), torch.argwhere(a > 3), torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5])))
print(torch.bucketize(torch.tensor([0.5, 2.0]), torch.tensor([1.0, 2.0, 3.0])), torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]), right=True), torch.unravel_index(torch.tensor([5, 7]), (2, 4)))
m = torch.arange(12.0).reshape(3, 4)
m[1, :] = 0
m[:, -1] += 10
m[m > 12] = -1
m[[0, 2], 1] = torch.tensor([50.0, 60.0])
m[0, ::2] = torch.tensor([7.0, 8.0])
m.t()[0] *= 2
m.view(-1)[5] = 99
m[1:].fill_diagonal_(3)
print(m, m[..., 1], m[1, ..., None].shape, m[torch.tensor(1)], m[:, [True, False, True, False]], m[-1][-1].item())
v = m[0]
v.zero_()
w = m.reshape(4, 3)
w[0, 0] = 5
print(m[0, 0], v.data_ptr() == m.data_ptr(), m.is_contiguous(), m.t().is_contiguous(), m.t().contiguous().stride(), m[1].storage_offset())
print(torch.Size([2, 3]) + torch.Size([4]), torch.Size([2, 3]).numel(), x.shape[1:], len(x.shape), tuple(x.shape), x.size(-1), x.shape == (2, 3, 4), [*x.shape], x.dim(), x.ndim)
for bad in (lambda: x.view(5, 5), lambda: a.reshape(4, 2), lambda: a[2], lambda: a[0, 0, 0], lambda: a.sum(5), lambda: torch.cat([a, torch.ones(2, 2)], 0), lambda: a + torch.ones(2), lambda: a @ a, lambda: torch.stack([a, torch.ones(1)]), lambda: a.t().view(-1), lambda: a.squeeze(7), lambda: a.expand(2, 4), lambda: torch.dot(a[0], torch.ones(2)), lambda: a.split([1, 3], 1), lambda: torch.tensor([1.0]).item() + torch.ones(2).item(), lambda: bool(torch.ones(2)), lambda: torch.ones(3)[5], lambda: torch.tensor([[1, 2], [3]]), lambda: torch.mm(a, a[0]), lambda: a.mean(dim=0).long().mean(), lambda: float("x"), lambda: a.nothing):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
s = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = s.view(2, 2).t().flatten()[1:].flip(0) * torch.arange(3.0)
y.sum().backward()
print(s.grad, torch.kron(torch.eye(2), torch.ones(1, 2)), torch.outer(s, s).shape)
