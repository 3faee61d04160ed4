# torch.cuda, and tensors on two GPUs.
# GPU_FAKE: devices=2
import torch

assert torch.cuda.is_available() and torch.cuda.device_count() == 2 and torch.cuda.get_device_capability() == (9, 0)
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
x = torch.ones(3, device="cuda") * 2
end.record()
torch.cuda.synchronize()
assert end.query() and start.elapsed_time(end) >= 0
try:
    torch.cuda.Event().elapsed_time(end)
    print("an event without timing has a time")
except ValueError:
    pass
torch.cuda.manual_seed_all(3)
a = torch.rand(4, device="cuda")
host = torch.rand(2)
torch.cuda.manual_seed_all(3)
assert torch.equal(a, torch.rand(4, device="cuda")) and not torch.equal(host, torch.rand(2))
torch.manual_seed(5)
b = torch.randn(3, device="cuda")
torch.manual_seed(5)
assert torch.equal(b, torch.randn(3, device="cuda"))
torch.manual_seed(0)            # PyTorch's own numbers
assert torch.allclose(torch.rand(3, device="cuda").cpu(), torch.tensor([0.3990, 0.5167, 0.0249]), atol=1e-4)
g = torch.Generator(device="cuda").manual_seed(0)
assert torch.allclose(torch.randn(2, device="cuda", generator=g).cpu(), torch.tensor([-0.9247, -0.4253]), atol=1e-4)
torch.randperm(3, device="cuda")
state = torch.cuda.get_rng_state()
c = torch.randperm(5, device="cuda")
torch.cuda.set_rng_state(state)
assert torch.equal(c, torch.randperm(5, device="cuda"))
most = torch.cuda.max_memory_allocated()
assert most >= torch.cuda.memory_allocated() > 0 and torch.cuda.memory_reserved() > 0
torch.cuda.reset_peak_memory_stats()
assert torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated()
assert torch.cuda.memory_stats()["allocated_bytes.all.current"] == torch.cuda.memory_allocated()
assert "Memory of host 0" in torch.cuda.memory_summary()
y = torch.arange(2.0, device="cuda:1")
assert repr(y) == "tensor([0., 1.], device='cuda:1')", repr(y)
try:
    y + x[:2]
    print("two devices were mixed")
except RuntimeError as e:
    assert "Expected all tensors to be on the same device" in str(e), e
assert (y.to("cuda:0") + x[:2]).tolist() == [2.0, 3.0]
with torch.cuda.device(1):
    assert torch.zeros(1, device="cuda").device == torch.device("cuda:1")
try:
    torch.zeros(1, device="cuda:7")
    print("there is a GPU 7")
except RuntimeError as e:
    assert str(e) == "CUDA error: invalid device ordinal", e
v = torch.tensor([3.0, 1.0, float("nan"), 2.0], device="cuda")
assert torch.sort(v)[1].tolist() == [1, 3, 0, 2] and torch.topk(v[:2], 1)[1].tolist() == [0]
assert torch.cummax(torch.tensor([1, 3, 2], device="cuda"), 0)[0].tolist() == [1, 3, 3]
with torch.cuda.device_of(y):
    assert torch.cuda.current_device() == 1
with torch.cuda.device_of(torch.zeros(1)):
    assert torch.cuda.current_device() == 0
torch.cuda.set_stream(torch.cuda.Stream("cuda:1"))
assert torch.zeros(1, device="cuda").device.index == 1 and not torch.cuda.is_current_stream_capturing()
torch.cuda.set_device(0)
nested = torch.cuda.memory_stats_as_nested_dict()
assert nested["allocated_bytes"]["all"]["current"] == torch.cuda.memory_allocated() and torch.cuda.is_tf32_supported()
assert len(torch.cuda.default_generators) == torch.cuda.device_count() and torch.cuda.default_generators[0].initial_seed() == torch.cuda.initial_seed()
print("ok")
