# Axes in space: limits, the projection, what faces there are; polar axes; that all of it is drawn.
import io

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def show(*values):
    print(*[np.round(np.asarray(v, dtype=float), 5).tolist() for v in values])


def drawn(fig):
    # something in the middle of the page, and a file
    f = io.BytesIO()
    fig.savefig(f, format="png", dpi=30)
    fig.canvas.draw()
    a = np.asarray(fig.canvas.buffer_rgba())[..., :3].min(axis=2) < 250
    h, w = a.shape
    return bool(a[h // 3:h * 2 // 3, w // 3:w * 2 // 3].any()), f.getvalue()[:4] == b"\x89PNG"


fig = plt.figure()
ax = fig.add_subplot(projection="3d")
ax.plot([0, 1, 2], [0, 10, 5], [-1, 1, 3], label="line")
show(ax.get_xlim(), ax.get_ylim(), ax.get_zlim())
show(ax.get_proj())
ax.view_init(elev=20, azim=45, roll=10)
ax.set_zlim(-5, 5)
show(ax.get_zlim(), ax.get_proj(), (ax.elev, ax.azim, ax.roll))
ax.set_proj_type("ortho")
ax.set_box_aspect((1, 2, 3))
show(ax.get_proj() / ax.get_proj()[3, 3])
ax.set_zlabel("height")
ax.set_title("space")
ax.legend()
print(ax.get_zlabel(), ax.name, drawn(fig))

x, y = np.meshgrid(np.linspace(-2, 2, 9), np.linspace(-1, 1, 7))
z = x * y
fig, axs = plt.subplots(2, 2, subplot_kw={"projection": "3d"})
surface = axs[0, 0].plot_surface(x, y, z, cmap="viridis")
show(surface.get_array(), surface.get_clim())
show(axs[0, 0].plot_surface(x, y, z, rstride=3, cstride=4, cmap="jet").get_array())
axs[0, 1].plot_wireframe(x, y, z, rcount=3, ccount=3)
axs[1, 0].bar3d([0, 1], [0, 1], [0, 0], 0.5, 0.5, [1, 2])
show(axs[1, 0].get_xlim(), axs[1, 0].get_zlim())
axs[1, 1].scatter([1, 2, 3], [3, 1, 2], [0, 1, 2], c=[1.0, 2.0, 3.0])
axs[1, 1].text(1, 2, 1, "here")
axs[1, 1].text2D(0.1, 0.9, "there", transform=axs[1, 1].transAxes)
axs[1, 1].quiver(1, 1, 1, 1, 0, 0, length=0.5)
axs[1, 1].contour(x, y, z)
show(axs[1, 1].get_xlim())
print(drawn(fig)[1])

fig = plt.figure()
ax = fig.add_subplot(projection="polar")
ax.plot([0, 1, 2], [0.5, 1, 2])
show(ax.get_xlim(), ax.get_ylim(), ax.get_xticks(), ax.get_rmax())
ax.set_rmax(3)
ax.set_rticks([1, 2])
ax.set_rlabel_position(-22.5)
ax.set_theta_zero_location("N")
ax.set_theta_direction(-1)
show(ax.get_ylim(), ax.get_yticks(), ax.get_rlabel_position())
print(ax.name, drawn(fig))
ax = plt.figure().add_subplot(projection="polar")
bars = ax.bar([0, 1, 2], [3, 8.3, 9], width=0.5, bottom=1.0)
show(ax.get_ylim(), len(bars))
ax = plt.subplot(polar=True)
ax.scatter([0, 1], [-1, 20])
show(ax.get_ylim())
try:
    plt.figure().add_subplot(projection="lambda")
except ValueError as e:
    print(type(e).__name__)

# between axes in space and their bar there is room for the numbers of z
def gap(**kwargs):
    fig = plt.figure(figsize=(10, 4))
    ax = fig.add_subplot(**kwargs)
    bar = fig.colorbar(plt.cm.ScalarMappable(), ax=ax).ax
    return bar.get_position().x0 - ax.get_position().x1


print(gap(projection="3d") > gap() + 0.02)
