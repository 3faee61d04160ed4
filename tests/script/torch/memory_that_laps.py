# Writes into memory that is read for them, or that several elements share: PyTorch refuses some, and so does Weft.
import torch


def tell(name, f):
    try:
        r = f()
        print(name, r.tolist() if isinstance(r, torch.Tensor) else r)
    except Exception as e:
        print(name, type(e).__name__, str(e).split('\n')[0])


def case():
    x = torch.arange(6.)
    x[1:] = x[:-1]
    return x


tell("slice1", case)


def case():
    x = torch.arange(6.).reshape(3, 2)
    x[1:] = x[:-1]
    return x


tell("rows", case)


def case():
    x = torch.arange(6.)
    x[1:].copy_(x[:-1])
    return x


tell("copy_", case)


def case():
    x = torch.arange(6.)
    x[1:] += x[:-1]
    return x


tell("iadd", case)


def case():
    x = torch.arange(6.)
    x[1:].add_(x[:-1])
    return x


tell("add_", case)


def case():
    x = torch.arange(9.).reshape(3,3)
    x.add_(x.t())
    return x


tell("add_t", case)


def case():
    x = torch.arange(9.).reshape(3,3)
    x += x.t()
    return x


tell("iadd_t", case)


def case():
    x = torch.arange(9.).reshape(3,3)
    x.copy_(x.t())
    return x


tell("copy_t", case)


def case():
    x = torch.arange(9.).reshape(3,3)
    x[:] = x.t()
    return x


tell("set_t", case)


def case():
    x = torch.arange(9.).reshape(3,3)
    x[:, :2] = x[:, 1:]
    return x[:, 1:]


tell("cols", case)


def case():
    x = torch.arange(6.)
    x[::2] = x[1::2]
    return x


tell("strided", case)


def case():
    x = torch.arange(6.)
    x[:3] = x[3:]
    return x


tell("apart", case)


def case():
    x = torch.arange(6.)
    x[:] = x
    return x


tell("self", case)


def case():
    x = torch.arange(6.)
    x[:] = x[:]
    return x


tell("self2", case)


def case():
    x = torch.arange(6.)
    x.mul_(x[:])
    return x


tell("mulself", case)


def case():
    x = torch.arange(6.).reshape(2,3)
    x.mul_(x[0])
    return x


tell("mulrow", case)


def case():
    x = torch.arange(6.).reshape(2,3)
    x /= x[0, 1]
    return x


tell("divelem", case)


def case():
    x = torch.arange(3.)
    x -= x[0]
    return x


tell("subelem0", case)


def case():
    x = torch.arange(3.)+1
    x /= x[-1]
    return x


tell("divlast", case)


def case():
    x = torch.arange(3.)+1
    x.div_(x[-1:])
    return x


tell("divlast1", case)


def case():
    x = torch.ones(3).expand(2,3)
    x.add_(1)
    return x


tell("exp add_", case)


def case():
    x = torch.ones(3).expand(2,3)
    x += 1
    return x


tell("exp iadd", case)


def case():
    x = torch.ones(3).expand(2,3)
    x.zero_()
    return x


tell("exp zero_", case)


def case():
    x = torch.ones(3).expand(2,3)
    x.fill_(4)
    return x


tell("exp fill_", case)


def case():
    x = torch.ones(3).expand(2,3)
    x[0] = 4
    return x


tell("exp set", case)


def case():
    x = torch.ones(3).expand(2,3)
    x[:] = 4
    return x


tell("exp setall", case)


def case():
    x = torch.ones(3).expand(2,3)
    x[:, 0] = 4
    return x


tell("exp setcol", case)


def case():
    x = torch.ones(3).expand(2,3)
    x[:] = torch.arange(3.)
    return x


tell("exp setall tensor", case)


def case():
    x = torch.ones(3).expand(2,3)
    x.exp_()
    return x


tell("exp exp_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.scatter_(0, torch.zeros(1,3,dtype=torch.long), 5.)
    return x


tell("exp scatter_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.index_fill_(0, torch.tensor([0]), 5.)
    return x


tell("exp index_fill_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.normal_()
    return 0


tell("exp normal_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.uniform_()
    return 0


tell("exp uniform_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.index_add_(0, torch.tensor([0]), torch.ones(1,3))
    return x


tell("exp index_add_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.clamp_(0, 2)
    return x


tell("exp clamp_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.copy_(torch.ones(2,3))
    return x


tell("exp copy_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    x.cumsum_(0)
    return x


tell("exp cumsum_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    torch.nn.functional.relu_(x)
    return x


tell("exp relu_", case)


def case():
    x = torch.ones(1, 3).expand(2,3)
    torch.nn.functional.dropout(x, inplace=True)
    return 0


tell("exp dropout", case)


def case():
    x = torch.arange(6.)
    torch.add(x[1:], 1, out=x[:-1])
    return x


tell("out partial", case)


def case():
    x = torch.arange(6.)
    torch.add(x[1:], x[:-1], out=torch.ones(5))
    return x


tell("out", case)


def case():
    x = torch.ones(1).expand(5)
    torch.add(torch.ones(5), 1, out=x)
    return x


tell("out exp", case)


def case():
    x = torch.arange(6.)
    x[1:].lerp_(x[:-1], 0.5)
    return x


tell("lerp", case)


def case():
    x = torch.arange(6.)
    x[1:].addcmul_(x[:-1], x[:-1])
    return x


tell("addcmul", case)


def case():
    x = torch.arange(6.)
    x[1:].clamp_(min=x[:-1])
    return x


tell("clamp_", case)


def case():
    x = torch.arange(6.)
    x[1:].pow_(x[:-1])
    return x


tell("pow_", case)


def case():
    x = torch.arange(6.)
    x[1:].masked_fill_(x[:-1] > 1, 9)
    return x


tell("mf", case)


def case():
    x = torch.arange(6.)
    x.index_copy_(0, torch.tensor([1,2]), x[:2])
    return x


tell("index_copy", case)


def case():
    x = torch.arange(6.)
    x.index_add_(0, torch.tensor([1,2]), x[:2])
    return x


tell("index_add", case)


def case():
    x = torch.arange(6.)
    x.scatter_(0, torch.tensor([1,2]), x[:2])
    return x


tell("scatter", case)


def case():
    x = torch.arange(6.)
    x[torch.tensor([1,2])] = x[:2]
    return x


tell("index_put", case)


def case():
    x = torch.arange(6.)
    x.masked_scatter_(x > 2, x)
    return x


tell("masked_scatter", case)


def case():
    x = torch.arange(6.)
    x[1:].logical_and_(x[:-1])
    return x


tell("logical_and", case)


def case():
    x = torch.arange(6)
    x[1:] |= x[:-1]
    return x


tell("ior", case)


def case():
    x = torch.arange(6)
    x[1:] //= 2
    return x


tell("ifloordiv", case)


def case():
    x = torch.arange(4.).reshape(2,2)
    x[0], x[1] = x[1], x[0]
    return x


tell("swap", case)


def case():
    x = torch.arange(4.).reshape(2,2)
    x[[0,1]] = x[[1,0]]
    return x


tell("swap2", case)


def case():
    x = torch.arange(8.).reshape(2,4)
    x[:, 1:].copy_(x[:, :-1].clone())
    return x


tell("shift", case)


def case():
    x = torch.arange(8.).reshape(2,4)
    x.t().copy_(x.t())
    return x


tell("tt", case)


def case():
    x = torch.arange(8.)
    y = x.view(torch.int32)
    y[1:].copy_(x[:-1])
    return x


tell("views of dtype", case)


def case():
    x = torch.arange(6.)
    y = x.detach()
    x[1:] = y[:-1]
    return x


tell("det", case)
