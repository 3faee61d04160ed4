# Arithmetic of pictures: sums of all numbers and of their places, as Pillow 13 gives them.
import numpy as np
from PIL import Image, ImageChops
rng = np.random.RandomState(0)
def pic(mode, h, w, n):
    a = rng.randint(0, 256, (h, w, n) if n > 1 else (h, w)).astype("uint8")
    return Image.fromarray(a, mode)
def shown(x):
    a = np.array(x).astype("int64")
    print(x.mode, x.size, int(a.sum()), int((a * np.arange(a.size).reshape(a.shape) % 997).sum()))
for mode, n in (("L", 1), ("RGB", 3), ("RGBA", 4), ("LA", 2)):
    a, b = pic(mode, 17, 9, n), pic(mode, 15, 11, n)
    for name in ("lighter", "darker", "difference", "multiply", "screen", "soft_light", "hard_light", "overlay", "add", "subtract", "add_modulo", "subtract_modulo"):
        print(name, end=" ")
        shown(getattr(ImageChops, name)(a, b))
    for s, o in ((2.0, 100), (0.7, -30), (3, 0), (1.0, 255), (1.0, -255)):
        shown(ImageChops.add(a, b, s, o))
        shown(ImageChops.subtract(a, b, scale=s, offset=o))
    shown(ImageChops.invert(a))
    shown(ImageChops.offset(a, 3))
    shown(ImageChops.offset(a, -3, 5))
    shown(ImageChops.constant(a, 7))
    shown(ImageChops.duplicate(a))
p, q = (Image.fromarray(rng.randint(0, 2, (6, 5)).astype(bool)) for _ in range(2))
for f in (ImageChops.logical_and, ImageChops.logical_or, ImageChops.logical_xor):
    shown(f(p, q))
for bad in (lambda: ImageChops.logical_and(a, b), lambda: ImageChops.add(a, p)):
    try:
        bad()
        print("no error")
    except ValueError as e:
        print(e)
