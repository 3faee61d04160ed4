"""grid_sample in its modes, with both gradients; convolutions that pad by themselves to the same size."""
import torch, torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(2, 3, 5, 4); g = torch.randn(2, 4, 3, 2)
for a in (True, False):
  for m in ('bilinear', 'nearest', 'bicubic'):
    for p in ('zeros', 'border', 'reflection'):
        xx, gg = x.clone().requires_grad_(), g.clone().requires_grad_(); o = F.grid_sample(xx, gg, mode=m, padding_mode=p, align_corners=a); o.pow(2).sum().backward()
        print(a, m, p, o.sum(), xx.grad.abs().sum(), gg.grad.abs().sum())
t = torch.tensor([[[[-.6, -.2], [.2, .6], [-.2, .2]]]]); print(F.grid_sample(torch.arange(25.).view(1, 1, 5, 5), t, mode='nearest', align_corners=False), F.grid_sample(torch.arange(16.).view(1, 1, 4, 4), torch.tensor([[[[-.5, 0.], [0., .5], [.5, -.5]]]]), mode='nearest', align_corners=False))
c = torch.nn.Conv2d(4, 6, (3, 4), padding='same', padding_mode='reflect', dilation=2); print(c(torch.randn(1, 4, 8, 8)).sum(), torch.nn.Conv1d(2, 2, 3, padding='valid', padding_mode='circular')(torch.ones(1, 2, 5)).shape)
