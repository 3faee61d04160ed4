# A variational autoencoder: the random numbers are PyTorch's, so are the losses.
import math
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self, d_in=6, hidden=8, latent=2):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d_in, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, d_in), nn.Sigmoid())

    def encode(self, x):
        h = self.enc(x)
        return self.mu(h), self.logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = self.reparameterize(mu, logvar)
        return self.dec(z), mu, logvar


def elbo(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld, bce, kld


model = VAE()
print(model)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
data = (torch.rand(32, 6) > 0.5).float()
for epoch in range(5):
    perm = torch.randperm(data.size(0))
    total = 0.0
    for idx in perm.split(8):
        recon, mu, logvar = model(data[idx])
        loss, bce, kld = elbo(recon, data[idx], mu, logvar)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print(f"epoch {epoch}: {total / len(data):.2f} bce={bce.item():.2f} kld={kld.item():.2f}")
model.eval()
with torch.inference_mode():
    z = torch.randn(3, 2)
    print(model.dec(z))
