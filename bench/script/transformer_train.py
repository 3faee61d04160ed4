# A step of training: 4 layers, d 256, 4 heads, T 128, batch 8, vocabulary 256, SGD. The module scripted (its forward a
# program, backward through the recorded call of it), traced, plain; and the same step as one jitted program. Runs in Weft
# and in Python with PyTorch and JAX. Prints milliseconds, the median of all rounds, taken by turns.
import sys
import time

import jax
import jax.numpy as jnp
import torch
import torch.nn.functional as F

V, T, D, H, L, N = 256, 128, 256, 4, 4, 8
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = torch.nn.LayerNorm(D)
        self.qkv = torch.nn.Linear(D, 3 * D)
        self.proj = torch.nn.Linear(D, D)
        self.ln2 = torch.nn.LayerNorm(D)
        self.up = torch.nn.Linear(D, 4 * D)
        self.down = torch.nn.Linear(4 * D, D)

    def forward(self, x, mask):
        n, t, d = x.shape
        a = self.qkv(self.ln1(x)).reshape(n, t, 3, 4, d // 4).permute(2, 0, 3, 1, 4)
        w = (a[0] @ a[1].transpose(-2, -1)) * (d // 4) ** -0.5
        w = torch.softmax(w.masked_fill(mask, float("-inf")), -1)
        x = x + self.proj((w @ a[2]).transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class Gpt(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = torch.nn.Embedding(V, D)
        self.pos = torch.nn.Parameter(torch.randn(T, D) * 0.1)
        self.b0, self.b1, self.b2, self.b3 = Block(), Block(), Block(), Block()
        self.ln = torch.nn.LayerNorm(D)
        self.head = torch.nn.Linear(D, V)

    def forward(self, tokens, mask, target):
        x = self.tok(tokens) + self.pos
        x = self.b0(x, mask)
        x = self.b1(x, mask)
        x = self.b2(x, mask)
        x = self.b3(x, mask)
        return F.cross_entropy(self.head(self.ln(x)).reshape(-1, 256), target)


torch.manual_seed(0)
tokens, target = torch.randint(0, V, (N, T)), torch.randint(0, V, (N * T,))
mask = torch.ones(T, T, dtype=torch.bool).triu(1)


def torch_step(model, params):
    optimizer = torch.optim.SGD(params, lr=0.1)

    def step():
        optimizer.zero_grad()
        loss = model(tokens, mask, target)
        loss.backward()
        optimizer.step()
        return loss

    return lambda: float(step())


def norm(x, w, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * w + b


def jax_loss(p, tokens, mask, target):
    lin = lambda x, name: x @ p[name + ".weight"].T + p[name + ".bias"]
    ln = lambda x, name: norm(x, p[name + ".weight"], p[name + ".bias"])
    x = p["tok.weight"][tokens] + p["pos"]
    for i in range(L):
        b = f"b{i}."
        q, k, v = lin(ln(x, b + "ln1"), b + "qkv").reshape(N, T, 3, H, D // H).transpose(2, 0, 3, 1, 4)
        w = jax.nn.softmax(jnp.where(mask, -jnp.inf, q @ k.swapaxes(-1, -2) * (D // H) ** -0.5), -1)
        x = x + lin((w @ v).swapaxes(1, 2).reshape(N, T, D), b + "proj")
        x = x + lin(jax.nn.gelu(lin(ln(x, b + "ln2"), b + "up"), approximate=False), b + "down")
    logp = jax.nn.log_softmax(lin(ln(x, "ln"), "head").reshape(N * T, V), -1)
    return -jnp.take_along_axis(logp, target[:, None], 1).mean()


def jax_step(model):
    data = [jnp.asarray(a.numpy()) for a in (tokens, mask, target)]
    p = {k: jnp.asarray(v.detach().numpy().copy()) for k, v in model.named_parameters()}

    def update(p, *data):
        loss, g = jax.value_and_grad(jax_loss)(p, *data)
        return loss, {k: p[k] - 0.1 * g[k] for k in p}

    update = jax.jit(update, donate_argnums=0)

    def step():
        nonlocal p
        loss, p = update(p, *data)
        return float(loss)

    return step


def fresh():
    torch.manual_seed(1)
    return Gpt()


models = [fresh() for _ in range(4)]
steps = {
    "jitted": jax_step(models[0]),
    "scripted": torch_step(torch.jit.script(models[1]), models[1].parameters()),
    "traced": torch_step(torch.jit.trace(models[2], (tokens, mask, target)), models[2].parameters()),
    "plain": torch_step(models[3], models[3].parameters()),
}
times = {k: [] for k in steps}
losses = {k: [f() for _ in range(4)] for k, f in steps.items()}
for _ in range(rounds):
    for k, f in steps.items():
        t = time.process_time()
        f()
        times[k].append(time.process_time() - t)
for k, v in times.items():
    ms = sorted(v)[len(v) // 2] * 1000
    best = min(times["jitted"])
    print(f"{k:9} {ms:8.2f} ms  least {min(v) * 1000:8.2f}  {min(v) / best:5.2f}x of jitted   loss {losses[k][-1]:.5f}")
