# Two networks against each other, and a gradient penalty.
import torch
import torch.nn as nn

torch.manual_seed(42)
G = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.BatchNorm1d(16), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Dropout(0.0), nn.Linear(16, 1))
g_opt = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
d_opt = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
loss_fn = nn.BCEWithLogitsLoss()


def real_batch(n):
    angle = torch.rand(n) * 2 * torch.pi
    return torch.stack([angle.cos(), angle.sin()], dim=1)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Linear") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.2)
        nn.init.zeros_(m.bias.data)
    elif isinstance(m, nn.BatchNorm1d):
        nn.init.normal_(m.weight, 1.0, 0.02)


G.apply(weights_init)
D.apply(weights_init)
for it in range(6):
    real = real_batch(16)
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    fake = G(torch.randn(16, 4))
    d_loss = loss_fn(D(real), ones * 0.9) + loss_fn(D(fake.detach()), zeros)
    d_opt.zero_grad(); d_loss.backward(); d_opt.step()
    for p in D.parameters():
        p.requires_grad_(False)
    g_loss = loss_fn(D(fake), ones)
    g_opt.zero_grad(); g_loss.backward(); g_opt.step()
    for p in D.parameters():
        p.requires_grad_(True)
    print("[%d] D %.4f G %.4f" % (it, d_loss.item(), g_loss.item()))
print(G[2].running_mean[:4], G[2].num_batches_tracked)
# gradient penalty
real, fake = real_batch(5), G(torch.randn(5, 4)).detach()
alpha = torch.rand(5, 1)
inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
out = D(inter)
grads, = torch.autograd.grad(outputs=out, inputs=inter, grad_outputs=torch.ones_like(out), create_graph=True, retain_graph=True)
gp = ((grads.norm(2, dim=1) - 1) ** 2).mean()
gp.backward()
print(gp, [round(p.grad.norm().item(), 4) if p.grad is not None else None for p in D.parameters()])
