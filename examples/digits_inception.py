# A small Inception network learns to read the digits that ship with Weft; then it is scripted,
# saved, loaded, differentiated, vmapped and trained on. Run it: weft run examples/digits_inception.py
# On a GPU: weft run --device=cuda examples/digits_inception.py
import os
import sys
import tempfile
import time

import torch
import torch.nn.functional as F
import weft
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() and "NO_COLOR" not in os.environ else ("", "")


def say(title):
    print(f"\n{bold}{title}{plain}", flush=True)


class Inception(nn.Module):
    """Three branches side by side: 1x1, 3x3 and 5x5 convolutions."""

    def __init__(self, inputs, width):
        super().__init__()
        self.one = nn.Conv2d(inputs, width, 1)
        self.three = nn.Conv2d(inputs, width, 3, padding=1)
        self.five = nn.Conv2d(inputs, width // 2, 5, padding=2)
        self.norm = nn.BatchNorm2d(2 * width + width // 2)

    def forward(self, x):
        return F.relu(self.norm(torch.cat([self.one(x), self.three(x), self.five(x)], dim=1)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Inception(1, 16)
        self.second = Inception(40, 24)
        self.third = Inception(60, 24)
        self.head = nn.Linear(60, 10)

    def forward(self, x):
        x = F.max_pool2d(self.second(self.first(x)), 2)
        return self.head(self.third(x).mean(dim=[2, 3]))


def train(net, x, y, epochs, rate, name):
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    steps = epochs * ((len(x) + 63) // 64)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    net.train()
    for epoch in range(epochs):
        order = torch.randperm(len(x)).split(64)
        bar = weft.progress(order, f"  {name} {epoch + 1}/{epochs}")
        for rows in bar:
            loss = F.cross_entropy(net(x[rows]), y[rows], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            bar.note = f"loss {loss.item():.3f}"
    net.eval()
    return loss.item()


def accuracy(net, x, y):
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


def main():
    device = torch.get_default_device()
    x, y, tx, ty = [t.to(device) for t in weft.digits()]
    net = Net().to(device)
    count = sum([p.numel() for p in net.parameters()])
    say(f"1. An Inception network with {count} parameters learns {len(x)} digits")
    start = time.time()
    loss = train(net, x, y, 8, 0.005, "epoch")
    print(f"  {time.time() - start:.1f} s, last loss {loss:.4f}, test accuracy: {accuracy(net, tx, ty):.4f}")

    say("2. What it sees, and what it says")
    with torch.no_grad():
        said = net(tx[:6]).argmax(1).tolist()
    print(weft.beside([weft.picture(tx[i]) for i in range(6)], [f"says {s}" for s in said]))

    say("3. f(x) + f(x), as written and after optimisation")

    def f(v):
        return torch.exp(torch.sin(v))

    def twice(v):
        return f(v) + f(v)

    p = weft.program(twice, torch.ones(3))
    print(p.text().rstrip())
    print(weft.optimised(p).text().rstrip())

    say("4. Scripted, saved, loaded")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.weft")
        torch.jit.script(net).save(path)
        loaded = torch.jit.load(path).to(device)
        loaded.eval()
        print(f"  {os.path.getsize(path) // 1024} KB; test accuracy of the loaded file: {accuracy(loaded, tx, ty):.4f}")

    say("5. The loaded file under grad and vmap: one gradient for each of 8 images")
    params = {k: v.detach() for k, v in loaded.named_parameters()}

    def one(params, image, label):
        out = functional_call(loaded, params, (image.unsqueeze(0),))
        return F.cross_entropy(out, label.unsqueeze(0))

    grads = vmap(grad(one), in_dims=(None, 0, 0))(params, tx[:8], ty[:8])
    sizes = torch.stack([g.flatten(1).pow(2).sum(1) for g in grads.values()]).sum(0).sqrt()
    print("  their lengths:", " ".join([f"{v:.3f}" for v in sizes.tolist()]))

    say("6. Trained on, after loading")
    before = F.cross_entropy(loaded(x), y).item()
    train(loaded, x, y, 2, 0.001, "epoch")
    print(f"  loss {before:.5f} -> {F.cross_entropy(loaded(x), y).item():.5f}")
    print(f"test accuracy: {accuracy(loaded, tx, ty):.4f}")


main()
