# Pictures: sizes, modes, filters and files, each as a number made of all pixels.
import io

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter, ImageOps


def number(x):
    x = np.asarray(x).astype(np.int64).reshape(-1)
    return int((x * (np.arange(x.size) % 97 + 1)).sum()), x.shape


noise = np.random.RandomState(0).randint(0, 256, (37, 53, 3)).astype(np.uint8)
smooth = (np.add.outer(np.arange(37) * 3, np.arange(53) * 2)[..., None] + np.arange(3) * 20).astype(np.uint8)
for a in (noise, smooth):
    im = Image.fromarray(a)
    print(im.mode, im.size, number(im))
    for r in range(6):
        print(r, number(im.resize((20, 31), r)), number(im.resize((90, 70), r)),
              number(im.resize((20, 20), r, box=(3.5, 2, 40, 30.25))))
    for m in ("L", "RGBA", "HSV", "CMYK", "YCbCr", "1", "I", "F", "LA"):
        print(m, number(im.convert(m)), number(im.convert(m).convert("RGB")) if m not in ("I", "F", "1") else "")
    gray = im.convert("L")
    print(number(gray.resize((20, 20))), number(im.crop((-3, 5, 20, 60))), number(im.rotate(30)), number(im.rotate(30, 2)),
          number(im.rotate(30, 3, expand=True)), number(im.rotate(90, expand=True)), number(im.rotate(45, fillcolor=(1, 2, 3))))
    print([number(im.transpose(t)) for t in range(7)])
    for e in (ImageEnhance.Color, ImageEnhance.Contrast, ImageEnhance.Brightness, ImageEnhance.Sharpness):
        print(e.__name__, number(e(im).enhance(0.3)), number(e(im).enhance(1.7)))
    for f in (ImageFilter.BLUR, ImageFilter.SHARPEN, ImageFilter.EMBOSS, ImageFilter.GaussianBlur(2.5),
              ImageFilter.BoxBlur(1.5), ImageFilter.MedianFilter(3)):
        print(number(im.filter(f)))
    for o in (ImageOps.invert, ImageOps.equalize, ImageOps.autocontrast, ImageOps.solarize, ImageOps.mirror):
        print(o.__name__, number(o(im)))
    print(number(ImageOps.posterize(im, 3)), number(ImageOps.pad(im, (40, 40))), number(ImageOps.fit(im, (20, 30))),
          number(ImageOps.expand(im, 4, fill=7)))
    clear = im.convert("RGBA")
    clear.putalpha(gray)
    print(number(clear.resize((20, 20), 2)),
          number(Image.alpha_composite(clear, Image.new("RGBA", clear.size, (10, 20, 30, 100)))))
    small = im.copy()
    small.thumbnail((16, 16))
    print(small.size, number(small), number(im.reduce(3)),
          number(im.transform((30, 30), Image.PERSPECTIVE, (1, .1, 2, .05, .9, 3, .001, .002), 2)))
    c = im.copy()
    c.paste((9, 8, 7), (2, 3, 10, 11))
    c.paste(Image.new("RGB", (5, 5), "red"), (20, 20))
    print(number(c), c.getpixel((3, 4)), c.getbbox(), c.getextrema(), number(Image.blend(im, c, 0.5)),
          number(Image.composite(im, c, gray)))
    for mode in ("1", "L", "RGB", "RGBA", "LA"):
        f = io.BytesIO()
        im.convert(mode).save(f, "PNG")
        f.seek(0)
        back = Image.open(f)
        print(back.format, back.mode, back.size, number(back) == number(im.convert(mode)))
    f = io.BytesIO()
    im.save(f, "PPM")
    print(f.getvalue()[:13], number(Image.open(io.BytesIO(f.getvalue()))) == number(im))

# a PNG of another writer: each row by another of the five filters
DATA = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000006000000050802000000e93a0ab10000006a49444154789c015f00a0ff007942bdf221"
    "06f0847762f0f3cb4d764dc707012051157abe7458b751d81d6af14ece8acc5d02648e853db62adeb0d244ac0fec045a4394d003de87"
    "aab2d34d54baa3266ca69e8f775f566304581ca78b15153e3eae85ac7bd99789f7992164582ce06fc000110000000049454e44ae4260"
    "82")
print(number(Image.open(io.BytesIO(DATA))))
try:
    Image.open(io.BytesIO(DATA[:60])).load()
except OSError as e:
    print("OSError")
try:
    Image.open(io.BytesIO(b"not a picture"))
except OSError as e:
    print(type(e).__name__)
