# Streams, arrows, violins, boxes, triangles, hexagons: numbers, limits, and laws that a picture keeps.
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def show(*values):
    print(*[np.round(np.asarray(v, dtype=float), 5).tolist() for v in values])


# streams of a field that turns: each stays at its distance from the middle, they do not meet, and cover the grid
y, x = np.mgrid[-2:2:41j, -2:2:41j]
fig, ax = plt.subplots()
made = ax.streamplot(x, y, -y, x, color=np.hypot(x, y), density=0.8)
ends = np.array([np.asarray(s)[0] for s in made.lines.get_segments()])
after = np.array([np.asarray(s)[-1] for s in made.lines.get_segments()])
r0, r1 = np.hypot(ends[:, 0], ends[:, 1]), np.hypot(after[:, 0], after[:, 1])
print(bool(np.abs(r1 - r0).max() < 0.02), bool(r0.max() > 2.2), bool(r0.min() < 0.5), 200 < len(ends) < 3000)
turn = ends[:, 0] * after[:, 1] - ends[:, 1] * after[:, 0]
print(bool((turn > 0).all()))
show(ax.get_xlim(), ax.get_ylim())
ax.streamplot(np.arange(5.0), np.arange(4.0), np.ones((4, 5)), np.zeros((4, 5)), start_points=[[2.0, 1.0]])
for wrong in ({"start_points": [[9.0, 1.0]]}, {"integration_direction": "sideways"}):
    try:
        ax.streamplot(np.arange(5.0), np.arange(4.0), np.ones((4, 5)), np.zeros((4, 5)), **wrong)
    except ValueError as e:
        print("ValueError", str(e)[:14])

rs = np.random.RandomState(3)
data = [rs.normal(0, s, 50) for s in (1, 2, 3)]
fig, ax = plt.subplots()
parts = ax.violinplot(data, showmeans=True, showmedians=True, quantiles=[[0.1], [0.5], [0.9]])
print(sorted(parts), len(parts["bodies"]))
show(ax.get_ylim(), ax.get_xlim())
for k in ("cmeans", "cmins", "cquantiles"):
    show([s[0][1] for s in parts[k].get_segments()])
fig, ax = plt.subplots()
made = ax.boxplot(data + [np.array([1.0, 2.0, 3.0, 4.0, 50.0])], showmeans=True, whis=1.0, widths=0.4)
print({k: len(v) for k, v in made.items()})
show(*[line.get_ydata() for line in made["whiskers"]], [m.get_ydata()[0] for m in made["medians"]], made["fliers"][3].get_ydata(), ax.get_xlim())

# triangles: they cover the hull, once, and no other point is in the circle of one
from matplotlib.tri import Triangulation
px, py = rs.rand(40), rs.rand(40)
t = Triangulation(px, py)
a, b, c = [np.stack([px[t.triangles[:, i]], py[t.triangles[:, i]]], -1) for i in range(3)]
area = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
show(area.sum(), len(t.triangles), len(t.edges))
print(bool((area > 0).all()), sorted(map(tuple, np.sort(t.triangles, axis=1).tolist()))[:4])
fig, ax = plt.subplots()
ax.tricontourf(px, py, px * py)
ax.triplot(t)
show(ax.get_xlim(), ax.get_ylim())

fig, ax = plt.subplots()
made = ax.hexbin([0.0, 1, 2, 3, 10, 2.1], [0.0, 5, 2, 3, 4, 2.2], gridsize=5)
show(np.sort(made.get_array()), ax.get_xlim(), ax.get_ylim())
show(np.sort(ax.hexbin([0.0, 1, 2, 3, 10, 2.1], [0.0, 5, 2, 3, 4, 2.2], C=[1.0, 2, 3, 4, 5, 6], gridsize=(4, 3)).get_array()))

fig, ax = plt.subplots()
q = ax.quiver(*np.meshgrid(np.arange(3), np.arange(2)), np.ones((2, 3)), np.zeros((2, 3)), np.arange(6.0))
ax.quiverkey(q, 0.9, 0.9, 1, "unit")
show(ax.get_xlim(), ax.get_ylim(), q.get_clim())
fig.canvas.draw()
