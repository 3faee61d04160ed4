# torch.export.load of archives that the real torch.export.save wrote (tools/export_samples.py): every graph gives what PyTorch's
# own module of it gives, at sizes other than those it was made with where they are open.
import os

import torch

here = "tests/export/" if os.path.exists("tests/export") else "../../export/"


def wave(*shape):
    n = 1
    for d in shape:
        n *= d
    return torch.sin(torch.arange(n, dtype=torch.float32) * 0.7).reshape(shape) * 1.5


def words(n):
    return torch.arange(n * 5).reshape(n, 5) * 3 % 11


CASES = {
    "mlp": (wave(7, 6),), "convnet": (wave(3, 3, 12, 12),), "convnet_train": (wave(3, 3, 12, 12),), "convnet_core": (wave(3, 3, 12, 12),),
    "convnet_train_core": (wave(2, 3, 12, 12),), "counter": (wave(5, 3),), "lstm_tagger": (words(3),), "gru_tagger": (words(3),), "rnn_tagger": (words(4),),
    "encoder": (wave(2, 5, 8),), "block": (wave(3, 7, 8),), "block_core": (wave(3, 5, 8),), "attention": (wave(2, 5, 8),), "shapes": (wave(3, 6),),
    "reductions": (wave(5, 6),), "indexing": (wave(4, 6), torch.tensor([1, 3, 0])), "elementwise": (wave(3, 6),), "upsample": (wave(2, 3, 12, 12),),
    "losses": (wave(6, 3), torch.tensor([0, 2, 1, 1, 0, 2])), "einsum": (wave(2, 3, 4), wave(2, 4, 5)), "branch": (wave(3),), "transposed": (wave(1, 3, 5, 5),),
    "norms": (wave(2, 4, 3, 3),), "norms_core": (wave(2, 4, 3, 3),), "constants": (wave(3),), "embedding_bag": (torch.tensor([5, 0, 3]),),
}


def flat(y):
    if isinstance(y, (list, tuple)):
        return [t for v in y for t in flat(v)]
    return [t for v in y.values() for t in flat(v)] if isinstance(y, dict) else [y]


def show(t):
    v = t.detach().double().flatten()
    numbers = [f"{round(x, 3) + 0.0:.3f}" for x in v[:5].tolist() + [v.mean().item()]]
    return f"{str(t.dtype)[6:]} {list(t.shape)} {' '.join(numbers)}"


for name, args in CASES.items():
    m = torch.export.load(here + name + ".pt2").module()
    print(name)
    for t in flat(m(*args)):
        print("   ", show(t))

print([show(t) for t in flat(torch.export.load(here + "branch.pt2").module()(-wave(3)))])

# buffers are written: two steps of a BatchNorm in training, and a count
m = torch.export.load(here + "counter.pt2").module()
m(wave(5, 3))
m(wave(4, 3) * 2)
print({k: show(t) for k, t in sorted(m.state_dict().items())})

# and parameters are trained
m = torch.export.load(here + "mlp.pt2").module()
opt = torch.optim.SGD(m.parameters(), lr=0.1)
losses = []
for _ in range(4):
    opt.zero_grad()
    loss = -m(wave(7, 6))[:, 1].mean()
    loss.backward()
    opt.step()
    losses.append(f"{loss.item():.4f}")
print(losses)
