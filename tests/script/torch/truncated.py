# nn.init.trunc_normal_ draws what PyTorch draws, and leaves the generator where PyTorch does.
import torch
import torch.nn as nn

torch.manual_seed(0)
w = torch.empty(8)
print(nn.init.trunc_normal_(w, std=0.5), torch.rand(1))
print(nn.init.trunc_normal_(w, mean=0.0, std=0.01, a=-2, b=2), torch.rand(1))
print(nn.init.trunc_normal_(w, std=1.0, a=-0.7, b=0.7), torch.rand(1))
print(nn.init.trunc_normal_(w, std=1.0, a=1.0, b=1.5), torch.rand(1))
print(nn.init.trunc_normal_(w, std=1.0, a=-0.1, b=0.2), torch.rand(1))
p = nn.Parameter(torch.empty(3, 40))
nn.init.trunc_normal_(p, std=0.02)
print(p.detach().sum(), p.detach()[0, :4], p.requires_grad, torch.rand(1))
print(nn.init.trunc_normal_(torch.empty(4, dtype=torch.float64), std=2.0), nn.init.trunc_normal_(torch.empty(0)))
