# PyTorch takes keywords of its functions by NumPy's names too: axis, keepdims, x, x1, x2.
import torch

x = torch.arange(12.0).reshape(3, 4)
for name in ("sum mean prod amax amin max min argmax argmin any all std var logsumexp nansum median cumsum softmax sort argsort flip "
             "count_nonzero unbind nanmean kthvalue").split():
    for kw in ({"axis": 0}, {"axis": 1, "keepdims": True}, {"dim": 1, "keepdims": True}):
        for f in (lambda **k: getattr(torch, name)(x, **k), lambda **k: getattr(x, name)(**k)):
            try:
                y = f(**kw)
                print(name, kw, str(y).replace("\n", ""))
            except TypeError:
                print(name, kw, "TypeError")
print(torch.squeeze(torch.ones(1, 2, 1), axis=0).shape, torch.stack([x, x], axis=1).shape, torch.cat((x, x), axis=1).shape)
print(torch.dist(x1=x[0], other=x[1]), torch.flip(x=x[0], dims=[0]))
x = torch.arange(6.0).reshape(2, 3)
for f in (  # and lists of numbers, and what natives call otherwise
        lambda: torch.flip(x, dims=[0]), lambda: x.flip(dims=(0,1)), lambda: torch.permute(x, dims=(1,0)), lambda: x.permute(dims=(1,0)),
        lambda: torch.reshape(x, shape=(3,2)), lambda: x.view(size=(3,2)), lambda: x.reshape(shape=(3,2)), lambda: x.expand(size=(2,2,3)),
        lambda: x.repeat(repeats=(1,2)), lambda: torch.tile(x, dims=(2,)), lambda: x.tile(dims=(2,1)), lambda: torch.zeros(size=(2,2)),
        lambda: torch.ones(size=[1]), lambda: torch.full(size=(2,), fill_value=3.), lambda: x.new_zeros(size=(2,)),
        lambda: x.new_ones(size=(1,)), lambda: torch.mm(x, mat2=x.T), lambda: torch.bmm(x[None], mat2=x.T[None]),
        lambda: torch.mv(x, vec=x[0]), lambda: torch.addmm(torch.zeros(2,2), mat1=x, mat2=x.T),
        lambda: torch.baddbmm(torch.zeros(1,2,2), batch1=x[None], batch2=x.T[None]), lambda: torch.swapaxes(x, axis0=0, axis1=1),
        lambda: x.split(split_size=2, dim=1), lambda: torch.broadcast_to(x, size=(2,2,3)).shape,
        lambda: torch.isin(x, torch.tensor([1.]), invert=True),
        lambda: torch.isin(elements=x, test_elements=torch.tensor([1.]), assume_unique=True), lambda: torch.dot(x[0], tensor=x[1]),
        lambda: torch.sigmoid(input=x), lambda: torch.abs(input=x), lambda: torch.squeeze(input=x), lambda: torch.mul(input=x, other=x),
        lambda: torch.pow(input=x, exponent=2), lambda: x.pow(exponent=2), lambda: x.mul(other=2), lambda: x.eq(other=1),
        lambda: torch.eq(input=x, other=1), lambda: torch.relu(input=x), lambda: torch.tanh(input=x),
        lambda: torch.searchsorted(torch.tensor([1.,3.]), x[0], sorter=torch.tensor([0,1])),
        lambda: torch.addr(torch.zeros(2,3), vec1=x[:,0], vec2=x[0]), lambda: torch.sub(x, 1, alpha=2), lambda: x.sub(other=1),
        lambda: x.div(other=2), lambda: torch.logical_not(input=x), lambda: torch.permute(input=x, dims=(1, 0)),
        lambda: x.movedim(source=0, destination=1).shape, lambda: torch.roll(x, shifts=1, dims=0),
        lambda: torch.rot90(x, k=1, dims=(0, 1)), lambda: torch.meshgrid(x[0], x[1], indexing='ij')[0].shape,
        lambda: torch.cartesian_prod(x[0], x[1]).shape, lambda: torch.atleast_2d(x[0]), lambda: torch.hypot(input=x, other=x),
        lambda: x.clamp(min=1, max=2), lambda: torch.clip(x, min=1), lambda: torch.sum(input=x, dim=0), lambda: torch.floor(input=x),
        lambda: torch.sqrt(input=x), lambda: torch.log(input=x+1), lambda: torch.sin(input=x), lambda: torch.neg(input=x),
        lambda: torch.gt(input=x, other=1), lambda: x.unflatten(dim=1, sizes=(3,1)).shape,
        lambda: x.unfold(dimension=1, size=2, step=1).shape, lambda: x.type(dtype=torch.int64), lambda: x.fill_(value=3),
        lambda: x.zero_(),
):
    print(f())
for bad in (lambda: x.sum(axes=0), lambda: x.sum(0, axis=0), lambda: torch.cat(x), lambda: torch.stack(x)):
    try:
        print(bad())
    except TypeError as e:
        print("TypeError", str(e).startswith(("cat(): argument 'tensors' (position 1) must be", "stack(): argument 'tensors'")))
print(torch.nn.functional.linear(torch.eye(2), weight=torch.tensor([[1.0, 2.0], [3.0, 4.0]]), bias=torch.ones(2)).tolist())
