# Tensors on a GPU as PyTorch has them: run by test_gpu, on a machine that has one or on the host's own doing.
import torch

x = torch.arange(6.0).reshape(2, 3)
g = x.to("cuda")
assert g.device == torch.device("cuda", 0) and g.is_cuda and not x.is_cuda
assert repr(g[:1]) == "tensor([[0., 1., 2.]], device='cuda:0')", repr(g[:1])


def refused(f):
    try:
        f()
    except RuntimeError as e:
        return str(e) == ("Expected all tensors to be on the same device, but found at least two devices, "
                          "cuda:0 and cpu!")
    return False


assert refused(lambda: g + x) and refused(lambda: x * g) and refused(lambda: g == x)
assert refused(lambda: torch.maximum(g, x))
assert (g + torch.tensor(1.0)).device == g.device            # a single number of the host is fine
assert torch.equal((g + g).cpu(), x + x)

for m in (torch.nn.Linear(3, 2, device="cuda"), torch.nn.BatchNorm1d(3, device="cuda"),
          torch.nn.LSTM(3, 2, device="cuda"), torch.nn.Conv1d(3, 2, 1, device="cuda"),
          torch.nn.MultiheadAttention(4, 2, device="cuda"), torch.nn.LayerNorm(3).to("cuda")):
    for t in list(m.parameters()) + list(m.buffers()):
        assert t.is_cuda, m
assert torch.zeros_like(g).is_cuda and g.new_ones(2).is_cuda and torch.randperm(3, device="cuda").is_cuda
try:
    g.numpy()
    assert False
except TypeError as e:
    assert "cuda:0 device type tensor to numpy" in str(e)
g[0] = 5.0
g[:, 1].mul_(2)
assert g.tolist() == [[5.0, 10.0, 5.0], [3.0, 8.0, 5.0]], g
