# State dicts as modules write and read them themselves, hooks around both, and hooks of the backward pass.
import torch
import torch.nn as nn


class M(torch.nn.Module):
    def __init__(s):
        super().__init__(); s.w=torch.nn.Parameter(torch.ones(2)); s.extra=5
    def get_extra_state(s): return {'e': s.extra}
    def set_extra_state(s, st): print('set', st); s.extra = st['e']
    def _save_to_state_dict(s, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars); destination[prefix+'v']=torch.tensor(3)
    def _load_from_state_dict(s, state_dict, prefix, *args):
        print('v', state_dict.pop(prefix+'v')); super()._load_from_state_dict(state_dict, prefix, *args)
m=M(); n=torch.nn.Sequential(m)
sd=n.state_dict(); print(sd)
print(n.load_state_dict(sd))
h=m.register_load_state_dict_post_hook(lambda mod, inc: print('post', inc))
m._register_state_dict_hook(lambda mod, sd, prefix, meta: print('sdhook', list(sd), prefix, meta))
m.register_state_dict_pre_hook(lambda mod, prefix, keep: print('sdpre', prefix, keep))
m.register_load_state_dict_pre_hook(lambda mod, sd, prefix, meta, strict, missing, unexp, err: print('pre', list(sd), prefix))
sd=n.state_dict(); print(sd._metadata)
n.load_state_dict(sd)
print(torch.nn.BatchNorm1d(2).state_dict()._metadata)
h=torch.nn.modules.module.register_module_forward_hook(lambda m,i,o: print('global', type(m).__name__))
torch.nn.Sequential(torch.nn.Linear(2,2))(torch.ones(1,2)); h.remove()


class Old(nn.Module):       # a state of another version
    _version = 3

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing, unexpected, errors):
        print("version", local_metadata.get("version"))
        if prefix + "kernel" in state_dict:
            state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing, unexpected, errors)


old = nn.ModuleDict({"a": Old(), "b": nn.BatchNorm1d(2)})
state = {"a.kernel": torch.ones(2), "b.weight": torch.ones(2), "b.bias": torch.ones(2), "b.running_mean": torch.ones(2),
         "b.running_var": torch.ones(2)}
print(old.load_state_dict(state), old["a"].weight, list(state))
for wrong in ({"a.weight": 3}, {"a.weight": torch.ones(3), "c": 1, "a.x.y": 2}, 5):
    try:
        print(old.load_state_dict(wrong, strict=False))
        old.load_state_dict(wrong)
    except Exception as e:
        print(type(e).__name__, e)
print(old.load_state_dict({"b.bias": torch.tensor([4.0, 5.0]), "z": 0}, strict=False), old["b"].bias)
seen = []
handles = [nn.modules.module.register_module_forward_pre_hook(lambda m, i: seen.append(("pre", type(m).__name__))),
           nn.modules.module.register_module_full_backward_hook(lambda m, gi, go: seen.append(("back", type(m).__name__))),
           nn.modules.module.register_module_parameter_registration_hook(lambda m, n, p: seen.append((n, tuple(p.shape))))]
nn.Sequential(nn.Linear(2, 3), nn.Tanh())(torch.ones(1, 2, requires_grad=True)).sum().backward()
for h in handles:
    h.remove()
nn.Linear(2, 3)(torch.ones(1, 2))
print(seen)


class Two(nn.Module):
    def forward(self, x, y): return x * 2, y * 3
m = Two()
m.register_full_backward_hook(lambda mod, gi, go: print("hook", gi, go))
x = torch.ones(2, requires_grad=True); y = torch.ones(2)
a, b = m(x, y); print(a, b)
a.sum().backward()
a, b = m(x, x); (a.sum() + b.sum()).backward()
a, b = m(x, x); b.sum().backward()
l = nn.Linear(2, 2, bias=False)
l.weight.data.fill_(1)
l.register_full_backward_pre_hook(lambda mod, go: print("pre", go))
l.register_full_backward_hook(lambda mod, gi, go: print("hook", gi, go))
l(torch.ones(1, 2)).sum().backward()
l(torch.ones(1, 2, requires_grad=True)).sum().backward()
h = l.register_full_backward_pre_hook(lambda mod, go: (go[0] * 10,))
z = torch.ones(1, 2, requires_grad=True)
l(z).sum().backward(); print(z.grad, l.weight.grad)
h.remove()
s = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
def bad(mod, gi, go): return (gi[0] * 2,)
s[1].register_full_backward_hook(bad)
z = torch.ones(1, 2, requires_grad=True)
s[0].weight.data.fill_(.5); s[0].bias.data.fill_(.5)
s(z).sum().backward(); print(z.grad, s[0].weight.grad)
# hooks as they are shown
l = nn.Linear(1, 1)
a, b = l.register_forward_pre_hook(len), l.register_forward_pre_hook(abs)
print(l._forward_hooks, l._backward_hooks, list(l._forward_pre_hooks.values()), b.id - a.id, a.id in l._forward_pre_hooks)
a.remove()
print(type(l._forward_pre_hooks).__name__, len(l._forward_pre_hooks))
# tensors and NumPy's numbers as places in texts, ranges and lists
import numpy as np
for k in (np.int64(1), torch.tensor(2), torch.tensor([3])):
    print("abcd"[k], (1, 2, 3, 4)[k], range(9)[k], b"abcd"[k], "abcd"[k:])
