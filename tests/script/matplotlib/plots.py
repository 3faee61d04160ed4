# Plots: limits, ticks, what functions return, and some pixels and bytes of what is saved.
import io
import os
import tempfile

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

fig, ax = plt.subplots()
line, = ax.plot([0, 10], [1, 3], "r--o", label="a line")
print(line.get_color(), line.get_linestyle(), line.get_marker(), line.get_label())
print(ax.get_xlim(), [round(v, 6) for v in ax.get_ylim()], (ax.get_xlabel(), ax.get_title()))
ax.set_xlim(2, 4)
print(ax.get_xlim(), fig.get_size_inches().tolist(), plt.get_fignums())

n, edges, patches = plt.hist([1, 2, 2, 3, 3, 3, 4.5], bins=4)
print(n.tolist(), edges.tolist(), len(patches))
bars = plt.bar(["a", "b", "c"], [3, 5, 2], color="tab:green")
print([b.get_height() for b in bars], bars[1].get_x())
plt.close("all")
print(plt.get_fignums())

# an image of four pixels fills its axes: corners have its colors, the page is white
plt.figure(figsize=(2, 2), dpi=50)
plt.axes([0.1, 0.1, 0.8, 0.8])
plt.imshow(np.array([[[1.0, 0, 0], [0, 1.0, 0]], [[0, 0, 1.0], [0, 0, 0]]]))
plt.axis("off")
f = io.BytesIO()
plt.savefig(f, format="png")
f.seek(0)
im = Image.open(f)
print(im.size, [im.getpixel(p) for p in ((2, 2), (30, 30), (70, 30), (30, 70), (70, 70))])

# a thick line has its color, and stops at the sides of the axes
plt.figure(figsize=(2, 2), dpi=50)
plt.axes([0.2, 0.2, 0.6, 0.6])
plt.plot([-5, 5], [0.5, 0.5], color="blue", linewidth=8)
plt.xlim(0, 1)
plt.ylim(0, 1)
plt.axis("off")
a = np.array(plt.gcf().canvas.buffer_rgba())
print(a.shape, a[50, 50].tolist(), a[50, 10].tolist(), a[30, 50].tolist(), int((a[:, 50, 0] == 0).sum()))

folder = tempfile.mkdtemp()
fig, axs = plt.subplots(2, 2, sharex=True, figsize=(4, 3))
print(axs.shape, [tuple([round(v, 3) for v in a.rect]) for a in axs.reshape(-1)])
axs[0, 0].semilogy([1, 2, 3], [1, 10, 1000])
axs[0, 1].scatter([1, 2], [3, 4], c=[0.1, 0.9], cmap="gray")
axs[1, 0].errorbar([1, 2], [3, 4], yerr=[0.5, 0.1], capsize=3)
axs[1, 1].contour(np.add.outer(np.arange(5.0) ** 2, np.arange(6.0)), levels=[4, 9])
axs[0, 0].set_title("<title> & more")
axs[0, 0].legend(["x"])
for end in ("svg", "pdf", "png", "jpg"):
    try:
        fig.savefig(os.path.join(folder, "p." + end))
    except OSError as e:
        assert "libjpeg" in str(e)      # which need not be here
with open(os.path.join(folder, "p.svg")) as g:
    text = g.read()
print(text.startswith("<?xml"), "&lt;title&gt; &amp; more" in text, text.count("<text") > 10, text.rstrip().endswith("</svg>"))
with open(os.path.join(folder, "p.pdf"), "rb") as g:
    data = g.read()
at = int(data[data.rindex(b"startxref") + 10:].split()[0])
print(data[:8], data[at:at + 4], data.rstrip().endswith(b"%%EOF"))
print(plt.get_cmap("viridis")(0.0), [round(v, 3) for v in plt.get_cmap("gray")(128)], matplotlib.colors.to_hex("C1"))
for bad in (lambda: plt.plot([1, 2], [1, 2, 3]), lambda: plt.plot([1], "q"), lambda: plt.savefig(os.path.join(folder, "x.xyz"))):
    try:
        bad()
    except ValueError as e:
        print(str(e)[:60])
for height in (1.0, 0.0, -3.0):  # planes
    print([["%.2g" % (v - height) for v in f(np.full((3, 3), height)).levels] for f in (plt.contour, plt.contourf)])
print([float(v) for v in plt.axis(np.array((-1.5, 1.5, -2.0, 2.0)))])  # limits as an array
