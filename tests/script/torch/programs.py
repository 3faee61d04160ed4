# Longer programs as people write them: a variational autoencoder, a policy gradient, a sequence model, a
# transformer, penalties and schedules by hand; all from seeds, digit for digit.
import math
import random
from dataclasses import dataclass
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.distributions import Bernoulli, Categorical, Normal, Uniform, MultivariateNormal, Independent, kl_divergence
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    latent: int = 2
    hidden: int = 8
    steps: int = 5
    lr: float = 1e-2


class VAE(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, config.hidden), nn.ReLU(), nn.Linear(config.hidden, 2 * config.latent))
        self.decoder = nn.Sequential(nn.Linear(config.latent, config.hidden), nn.ReLU(), nn.Linear(config.hidden, 6))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        mean, log_var = self.encoder(x).chunk(2, dim=-1)
        q = Normal(mean, (0.5 * log_var).exp())
        z = q.rsample()
        recon = F.mse_loss(self.decoder(z), x, reduction="none").sum(-1).mean()
        kl = kl_divergence(q, Normal(torch.zeros_like(mean), torch.ones_like(mean))).sum(-1).mean()
        return recon, kl


torch.manual_seed(0)
config = Config(hidden=8)
vae = VAE(config)
data = torch.randn(16, 6) @ torch.randn(6, 6) * 0.3
opt = torch.optim.AdamW(vae.parameters(), lr=config.lr, weight_decay=0.01)
for step in range(config.steps):
    recon, kl = vae(data)
    loss = recon + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    total = torch.nn.utils.clip_grad_norm_(vae.parameters(), 5.0)
    opt.step()
    print(f"vae {step} {recon.item():.4f} {kl.item():.4f} {total:.4f}")


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, s):
        return Categorical(logits=self.net(s))


torch.manual_seed(1)
policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=0.02)
for episode in range(3):
    state, log_probs, rewards = torch.zeros(3), [], []
    for t in range(5):
        dist = policy(state)
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        rewards.append(1.0 if action.item() == t % 2 else 0.0)
        state = torch.tensor([t / 5, float(action), 1.0])
    returns, g = [], 0.0
    for r in reversed(rewards):
        g = r + 0.9 * g
        returns.insert(0, g)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -(torch.stack(log_probs) * returns).sum() - 0.01 * dist.entropy()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("policy", episode, rewards, f"{loss.item():.4f}", dist.probs.detach())


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.Embedding(words, 4, padding_idx=0)
        self.lstm = nn.LSTM(4, 6, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.norm = nn.LayerNorm(12)
        self.out = nn.Linear(12, tags)

    def forward(self, x, state: Optional[Tuple[Tensor, Tensor]] = None):
        y, state = self.lstm(self.embed(x), state)
        return self.out(self.norm(y)), state


torch.manual_seed(2)
tagger = Tagger(10, 3)
words = torch.randint(1, 10, (4, 7))
words[2, 5:] = 0
tags = words % 3
opt = torch.optim.RMSprop(tagger.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.OneCycleLR(opt, 0.05, total_steps=6, cycle_momentum=False)
for step in range(5):
    logits, _ = tagger(words)
    loss = F.cross_entropy(logits.transpose(1, 2), tags.masked_fill(words == 0, -100))
    opt.zero_grad()
    loss.backward()
    opt.step()
    schedule.step()
    right = ((logits.argmax(-1) == tags) & (words != 0)).sum().item()
    print(f"tagger {step} {loss:.4f} {right} {schedule.get_last_lr()[0]:.5f}")


class PositionalEncoding(nn.Module):
    def __init__(self, width, length=50):
        super().__init__()
        pos = torch.arange(length).unsqueeze(1)
        div = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        pe = torch.zeros(1, length, width)
        pe[0, :, 0::2] = torch.sin(pos * div)
        pe[0, :, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, :x.size(1)]


torch.manual_seed(3)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True), 2)
model = nn.Sequential(nn.Embedding(12, 8), PositionalEncoding(8), encoder, nn.Linear(8, 12))
tokens = torch.randint(0, 12, (3, 6))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(4):
    out = model(tokens[:, :-1])
    loss = F.cross_entropy(out.reshape(-1, 12), tokens[:, 1:].reshape(-1), label_smoothing=0.1)
    model.zero_grad()
    loss.backward()
    opt.step()
    print(f"transformer {step} {loss.item():.4f}")
model.eval()
print(model(tokens)[0, 0, :4], sum(p.numel() for p in model.parameters()))

torch.manual_seed(4)
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
real, fake = torch.randn(5, 2), torch.randn(5, 2)
mix = torch.rand(5, 1)
points = (mix * real + (1 - mix) * fake).requires_grad_(True)
(g,) = torch.autograd.grad(critic(points).sum(), points, create_graph=True)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
(critic(fake).mean() - critic(real).mean() + 10 * penalty).backward()
print(penalty, [round(p.grad.norm().item(), 4) for p in critic.parameters()])

torch.manual_seed(5)
x = torch.linspace(-1, 1, 32).unsqueeze(1)
y = x ** 3 + 0.1 * torch.randn_like(x)
net = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=5)


def closure():
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    return loss


for step in range(3):
    print(f"lbfgs {opt.step(closure).item():.5f}")
opt = torch.optim.LBFGS(net.parameters(), line_search_fn="strong_wolfe", max_iter=4)
print(f"wolfe {opt.step(closure).item():.4f} {closure().item():.4f}")

best, patience, bad = float("inf"), 2, 0
ema = [p.detach().clone() for p in net.parameters()]
loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
opt = torch.optim.Adam([{"params": net[0].parameters(), "lr": 1e-3}, {"params": net[2].parameters()}], lr=1e-2)
for epoch in range(4):
    running = 0.0
    for i, (xb, yb) in enumerate(loader):
        loss = F.smooth_l1_loss(net(xb), yb) / 2
        loss.backward()
        if (i + 1) % 2 == 0 or i + 1 == len(loader):
            opt.step()
            opt.zero_grad()
        running += loss.item()
    with torch.no_grad():
        for e, p in zip(ema, net.parameters()):
            e.lerp_(p, 0.5)
    if running < best - 1e-4:
        best, bad = running, 0
    else:
        bad += 1
        if bad >= patience:
            break
    print(f"epoch {epoch} {running:.5f} bad {bad} {[g['lr'] for g in opt.param_groups]} {ema[0].norm():.4f}")

torch.manual_seed(6)
print(Normal(torch.tensor([0.0, 1.0]), 2.0).sample((2,)), Bernoulli(torch.tensor([0.3, 0.7])).sample(), Categorical(torch.tensor([0.2, 0.3, 0.5])).sample((5,)), Uniform(0.0, 3.0).sample((2,)))
n = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5]))
print(n, n.log_prob(torch.tensor([0.5, 0.5])), n.entropy(), n.cdf(torch.tensor([0.0, 2.0])), Categorical(logits=torch.tensor([1.0, 2.0])).log_prob(torch.tensor([0, 1])), Bernoulli(logits=torch.tensor(0.5)).entropy())
mvn = MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
print(mvn.log_prob(torch.tensor([0.5, -0.5])), mvn.entropy(), mvn.sample().shape, Independent(n, 1).log_prob(torch.zeros(2)))
