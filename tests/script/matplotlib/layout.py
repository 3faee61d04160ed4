# Where axes stand: beside their colorbars, on their twins, apart from each other; colours of labels, lines of a finer grid.
import io

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

fig, ax = plt.subplots(2, 2, figsize=(10, 7))
bars = []
for a in (ax[0, 0], ax[1, 1]):
    points = a.scatter([1, 2, 3], [3, 1, 2], c=[0.0, 500.0, 1000.0])
    bars.append(fig.colorbar(points, ax=a).ax)
twin = ax[0, 1].twinx()
twin.plot([0, 1], [0, 1])
twin.set_ylabel("other", color="green")
ax[1, 0].plot([0, 1], [0, 1])
ax[1, 0].set_title(r"$\alpha_1^2 + \frac{x}{y}$")
fig.suptitle("all")


def boxes():
    return {name: a.get_position() for name, a in (("00", ax[0, 0]), ("01", ax[0, 1]), ("10", ax[1, 0]), ("11", ax[1, 1]), ("bar", bars[0]), ("bar11", bars[1]))}


def apart(p):
    names = list(p)
    return not [(m, n) for i, m in enumerate(names) for n in names[i + 1:]
                if p[m].x0 < p[n].x1 and p[n].x0 < p[m].x1 and p[m].y0 < p[n].y1 and p[n].y0 < p[m].y1]


for tight in (False, True):
    if tight:
        fig.tight_layout()
    fig.canvas.draw()
    p = boxes()
    print(tight, apart(p), np.allclose(twin.get_position().bounds, p["01"].bounds), p["bar"].x0 > p["00"].x1, p["bar"].x1 < p["01"].x0,
          np.isclose(p["bar"].height, p["00"].height, rtol=0.02), np.isclose(p["00"].y0, p["01"].y0), np.isclose(p["01"].x1 > p["11"].x1, True),
          p["bar"].width < 0.03, all(0 < b.x0 and b.x1 < 1 and 0 < b.y0 and b.y1 < 1 for b in p.values()))


def ink(which, color=None):
    # pixels that are not white, and those of a colour
    plt.close("all")
    fig, a = plt.subplots(figsize=(4, 3))
    a.loglog([1, 1000], [1, 1000], color="none")
    if which:
        a.grid(True, which=which)
    if color:
        a.set_xlabel("a label", color=color)
        a.tick_params(axis="y", labelcolor=color)
    fig.canvas.draw()
    rgb = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    return int((rgb.sum(-1) < 700).sum()), int(((rgb[..., 0] > 200) & (rgb[..., 1] < 100) & (rgb[..., 2] < 100)).sum())


none, major, minor, both = (ink(w)[0] for w in (None, "major", "minor", "both"))
print(none < major < minor < both)
print(ink(None, "red")[1] > 20, ink(None)[1])
fig, a = plt.subplots(figsize=(6, 4))
a.imshow(np.eye(4))
fig.canvas.draw()
print(*[np.round(a.get_position(o).bounds, 4).tolist() for o in (False, True)])
out = io.BytesIO()
fig.savefig(out, format="svg")
print(len(out.getvalue()) > 1000)
