# torch.cond, torch._check, torch._foreach_*
import torch


def f(x):
    return torch.cond(x.sum() > 0, lambda x: {"y": x * 2, "z": x.sum()}, lambda x: {"y": x - 1, "z": x.max()}, (x,))


print(f(torch.ones(2)), f(-torch.ones(2)))
print(torch.cond(True, lambda x: x * 2, lambda x: x, (torch.ones(1),)), torch.cond(torch.tensor([False]), lambda a, b: a + 0, lambda a, b: b + 0, (torch.ones(1), torch.zeros(1))))


class Choose(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x * 3, lambda x: x - 1, (x,))


g = torch.export.export(Choose(), (torch.ones(2),)).module()
print(g(torch.ones(2)), g(-torch.ones(2)))
x = torch.tensor([1.0, 2.0], requires_grad=True)
f(x)["y"].sum().backward()
print(x.grad)
for args in ((True, 1, abs), (torch.ones(2) > 0, abs, abs)):
    try:
        torch.cond(*args)
    except Exception as e:
        print(type(e).__name__, str(e)[:50])
torch._check(True)
for check, args in ((torch._check, (False,)), (torch._check, (False, lambda: "no")), (torch._check_index, (False, lambda: "i")),
                    (torch._check_value, (2 > 3, lambda: "v")), (torch._check_type, (False, lambda: "t"))):
    try:
        check(*args)
    except Exception as e:
        print(type(e).__name__, str(e)[:40])
a, b = [torch.ones(2), torch.zeros(3)], [torch.full((2,), 2.0), torch.ones(3)]
print(torch._foreach_add(a, b), torch._foreach_mul(a, 3.0), torch._foreach_norm(b), torch._foreach_sub(a, b, alpha=2))
print(torch._foreach_add_(a, b), torch._foreach_mul_(a, [2.0, 3.0]), a)
print(torch._foreach_copy_(a, b), a, torch._foreach_zero_(a), a, torch._foreach_sqrt(b), torch._foreach_lerp(a, b, 0.5))
