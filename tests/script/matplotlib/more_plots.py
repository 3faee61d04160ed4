# Scales, styles, colors by turns, bars of colors at every side, a mosaic, labels of bars, dates, animations.
import datetime
import io
import os
import tempfile

import matplotlib
matplotlib.use("Agg")
import matplotlib.animation as animation
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from PIL import Image


def show(*values):
    print(*[np.round(np.asarray(v, dtype=float), 5).tolist() for v in values])


fig, ax = plt.subplots()
ax.plot([0, 1])
print(to_hex(np.asarray(ax.fill_between([0, 1], [1, 2]).get_facecolor()).reshape(-1)[:4]))
print([to_hex(b.get_facecolor()) for b in (ax.bar([1], [2])[0], ax.barh([1], [2])[0], ax.hist([1, 2])[2][0])], to_hex(ax.plot([1])[0].get_color()))
with plt.style.context("ggplot"):
    fig, ax = plt.subplots()
    print(to_hex(ax.plot([1, 2])[0].get_color()), plt.rcParams["axes.facecolor"], plt.rcParams["axes.prop_cycle"].by_key()["color"][1])
print(plt.rcParams["axes.facecolor"], [to_hex(c) for c in plt.rcParams["axes.prop_cycle"].by_key()["color"][:2]])
plt.rc("axes", prop_cycle=cycler(color=["r", "g"]) * cycler(linestyle=["-", "--"]))
print(len(plt.rcParams["axes.prop_cycle"]), [to_hex(line.get_color()) for line in plt.figure().gca().plot(np.zeros((2, 4)))])
plt.rcdefaults()

fig, ax = plt.subplots()
ax.plot([-100, 100], [-100, 100])
ax.set_yscale("symlog")
show(ax.get_ylim())
fig, ax = plt.subplots()
ax.plot([0.01, 0.5, 0.99], [1, 2, 3])
ax.set_xscale("logit")
show(ax.get_xlim())
top = ax.twiny()
top.plot([5, 6], [0, 10])
show(ax.get_ylim(), top.get_ylim(), top.get_xlim())
ax.spines[["left", "bottom"]].set_position(("axes", 0.5))
ax.spines["top"].set_visible(False)
fig.canvas.draw()

fig, axd = plt.subplot_mosaic("AAB;CDB", width_ratios=[1, 2, 1])
print(sorted(axd), [axd[k].get_label() for k in "ABCD"])
show(*[axd[k].get_position().bounds for k in "ABCD"])
fig, axd = plt.subplot_mosaic([["one", "."], ["two", "two"]], sharex=True)
axd["one"].plot([0, 10], [0, 1])
show(axd["two"].get_xlim())
try:
    plt.subplot_mosaic("AB;BA")
except ValueError as e:
    print("ValueError", "non-rectangular" in str(e))

fig, ax = plt.subplots()
image = ax.imshow(np.arange(6.0).reshape(2, 3), interpolation="bilinear")
below, right = fig.colorbar(image, ax=ax, orientation="horizontal"), None
before = ax.get_position(original=True).bounds
show(before, below.ax.get_xlim())
print(below.ax.get_position().y1 < before[1], below.orientation)
cells = plt.figure().gca().pcolormesh(np.array([0, 1, 3, 7]), np.array([0, 2, 3]), np.arange(6.0).reshape(2, 3))
show(cells.axes.get_xlim(), cells.axes.get_ylim(), cells.get_clim())

fig, ax = plt.subplots()
print([t.get_text() for t in ax.bar_label(ax.bar([1, 2], [3, -4.5], hatch="/"), label_type="center")],
      [t.get_text() for t in ax.bar_label(ax.barh([1, 2], [3, 4]), fmt="%.2f", padding=3)])
wedges, texts, shares = ax.pie([1, 2, 1], labels=list("abc"), autopct="%.0f%%", shadow=True, startangle=90, wedgeprops={"width": 0.4, "edgecolor": "w"})
print([t.get_text() for t in texts + shares])
ax.axline((0, 0), slope=2)
ax.arrow(0, 0, 1, 1, head_width=0.1)
ax.annotate("far", (0.5, 0.5), (0.9, 0.1), xycoords="axes fraction", arrowprops={"arrowstyle": "->"})
ax.annotate("near", (0.5, 0.5), (5, 5), textcoords="offset points", arrowprops={"facecolor": "black", "shrink": 0.05})
ax.table(cellText=[["1", "2"], ["3", "4"]], rowLabels=["a", "b"], colLabels=["c", "d"], loc="center")
inner = ax.inset_axes([0.5, 0.5, 0.25, 0.25])
inner.eventplot([[1, 2], [3]], colors=["r", "g"])
twice = ax.secondary_xaxis("top", functions=(lambda v: 2 * v, lambda v: v / 2))
twice.set_xlabel("twice")
ax.add_collection(LineCollection([[(0, 0), (1, 1)], [(0, 1), (1, 0)]], colors=["r", "b"], linewidths=[1, 2]))
ax.add_collection(PolyCollection([[(0, 0), (1, 0), (0, 1)]], facecolors=["g"]))
fig.canvas.draw()

fig, ax = plt.subplots()
line, = ax.plot([datetime.date(2024, 1, 1), datetime.date(2024, 3, 1)], [0, 1])
show(ax.get_xlim(), ax.get_xticks())

fig, ax = plt.subplots(figsize=(1, 1), dpi=40)
line, = ax.plot([], [])
ax.set_xlim(0, 1)
ax.set_ylim(0, 1)
name = os.path.join(tempfile.mkdtemp(), "a.gif")
seen = []


def step(i):
    seen.append(i)
    line.set_data([0, 1], [i / 3, i / 3])
    return line,


made = animation.FuncAnimation(fig, step, frames=4, interval=50)
made.save(name, writer="pillow", fps=10)
data = open(name, "rb").read()
print(data[:6], data[6:10], data[-1:], data.count(b"\x2c\0\0\0\0\x28\0\x28\0") >= 1, set(range(4)) <= set(seen))
frames = [[ax.plot([0, i])[0]] for i in range(3)]
print("data:image/png;base64" in animation.ArtistAnimation(fig, frames).to_jshtml())
plt.close("all")

import matplotlib.dates as mdates
day = datetime.datetime(2024, 5, 6, 7, 30)
print(mdates.date2num(day), mdates.num2date(mdates.date2num(day)), mdates.DateFormatter("%d.%m. %H")(mdates.date2num(day)))
for span in (datetime.timedelta(hours=2), datetime.timedelta(hours=30), datetime.timedelta(days=200), datetime.timedelta(days=4000)):
    fig, ax = plt.subplots()
    ax.plot([day, day + span], [0, 1])
    low, high = ax.get_xlim()
    show([t for t in ax.get_xticks() if low <= t <= high])

from mpl_toolkits.axes_grid1 import make_axes_locatable
fig, ax = plt.subplots()
image = ax.imshow(np.eye(4))
beside = make_axes_locatable(ax).append_axes("right", size="5%", pad=0.05)
fig.colorbar(image, cax=beside)
fig.canvas.draw()
p, q = ax.get_position(), beside.get_position()
print(0 < q.x0 - p.x1 < 0.02, abs(p.height - q.height) < 1e-6, 0.02 < q.width < 0.04)
