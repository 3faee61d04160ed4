# PIL.Image -- a picture: rows of pixels with a mode. Pixels are a NumPy array [height, width] or [height, width, bands] of
# bytes (int32 in mode I, float32 in F), and all arithmetic is Pillow's: whole numbers, rounded where it rounds.
import builtins as _b
import math as _math
import os as _os
from enum import IntEnum as _IntEnum

import numpy as _np
from PIL import UnidentifiedImageError

_BANDS = {"1": ("1",), "L": ("L",), "P": ("P",), "I": ("I",), "I;16": ("I",), "F": ("F",), "LA": ("L", "A"),
          "RGB": ("R", "G", "B"), "RGBA": ("R", "G", "B", "A"), "CMYK": ("C", "M", "Y", "K"), "HSV": ("H", "S", "V"),
          "YCbCr": ("Y", "Cb", "Cr")}
_DTYPES = {"I": "int32", "I;16": "uint16", "F": "float32"}


class Transpose(_IntEnum):
    FLIP_LEFT_RIGHT = 0
    FLIP_TOP_BOTTOM = 1
    ROTATE_90 = 2
    ROTATE_180 = 3
    ROTATE_270 = 4
    TRANSPOSE = 5
    TRANSVERSE = 6


class Transform(_IntEnum):
    AFFINE = 0
    EXTENT = 1
    PERSPECTIVE = 2
    QUAD = 3
    MESH = 4


class Resampling(_IntEnum):
    NEAREST = 0
    LANCZOS = 1
    BILINEAR = 2
    BICUBIC = 3
    BOX = 4
    HAMMING = 5


class Dither(_IntEnum):
    NONE = 0
    ORDERED = 1
    RASTERIZE = 2
    FLOYDSTEINBERG = 3


for _e in (Transpose, Transform, Resampling):
    for _m in _e:
        globals()[_m.name] = _m
NEAREST, LANCZOS, BILINEAR, BICUBIC = Resampling.NEAREST, Resampling.LANCZOS, Resampling.BILINEAR, Resampling.BICUBIC
BOX, HAMMING, AFFINE, PERSPECTIVE = Resampling.BOX, Resampling.HAMMING, Transform.AFFINE, Transform.PERSPECTIVE
FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM = Transpose.FLIP_LEFT_RIGHT, Transpose.FLIP_TOP_BOTTOM
ANTIALIAS = LANCZOS


class Image:
    format = None
    format_description = None

    def __init__(self, mode="", array=None, palette=None, info=None):
        self.mode, self._a, self._palette, self.info = mode, array, palette, info or {}

    @property
    def width(self):
        return self._a.shape[1]

    @property
    def height(self):
        return self._a.shape[0]

    @property
    def size(self):
        return self._a.shape[1], self._a.shape[0]

    @property
    def palette(self):
        return self._palette

    def __repr__(self):
        name = type(self).__name__
        return f"<PIL.{'Image.' if name == 'Image' else ''}{name} image mode={self.mode} size={self.width}x{self.height} at 0x{id(self):X}>"

    def __eq__(self, other):
        return (isinstance(other, Image) and self.mode == other.mode and self.size == other.size
                and bool((self._a == other._a).all()))

    def __array__(self, dtype=None, copy=None):
        a = self._a > 0 if self.mode == "1" else self._a
        return _np.array(a, dtype)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False

    def load(self):
        return _Access(self)

    def close(self):
        pass

    def verify(self):
        pass

    def copy(self):
        return Image(self.mode, self._a.copy(), self._palette, dict(self.info))

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def _new(self, array, mode=None):
        return Image(mode or self.mode, array, self._palette, dict(self.info))

    # ---- pixels

    def getbands(self):
        return _BANDS[self.mode]

    def tobytes(self, encoder_name="raw"):
        if encoder_name != "raw":
            raise NotImplementedError(f"Image.tobytes: encoder '{encoder_name}'; 'raw' is here")
        return _np.packbits(self._a > 0, axis=1).tobytes() if self.mode == "1" else self._a.tobytes()

    def getdata(self, band=None):
        a = self._a if band is None else self._a[..., band]
        flat = a.reshape((-1,) + a.shape[2:]).tolist()
        return [tuple(v) for v in flat] if a.ndim == 3 else flat

    get_flattened_data = getdata

    def putdata(self, data, scale=1.0, offset=0.0):
        a = _np.array(list(data))
        if scale != 1.0 or offset != 0.0:
            a = a * scale + offset
        self._a = a.astype(self._a.dtype).reshape(self._a.shape)

    def getpixel(self, xy):
        v = self._a[_at(self, xy)]
        return tuple(v.tolist()) if self._a.ndim == 3 else v.item()

    def putpixel(self, xy, value):
        self._a[_at(self, xy)] = value

    def getextrema(self):
        if self._a.ndim == 2:
            return self._a.min().item(), self._a.max().item()
        return tuple([(b.min().item(), b.max().item()) for b in [self._a[..., i] for i in range(self._a.shape[2])]])

    def getbbox(self, *, alpha_only=True):
        a = self._a
        if a.ndim == 3:
            a = a[..., 3] if alpha_only and self.mode == "RGBA" else a.max(axis=2)
        ys, xs = _np.nonzero(a.max(axis=1))[0], _np.nonzero(a.max(axis=0))[0]
        return None if len(ys) == 0 else (int(xs[0]), int(ys[0]), int(xs[-1]) + 1, int(ys[-1]) + 1)

    def histogram(self, mask=None, extrema=None):
        if mask is not None or extrema is not None:
            raise NotImplementedError("Image.histogram: of all pixels, by bytes")
        bands = [self._a] if self._a.ndim == 2 else [self._a[..., i] for i in range(self._a.shape[2])]
        return [n for b in bands for n in _np.bincount(b.reshape(-1).astype("int64"), minlength=256).tolist()]

    def getchannel(self, channel):
        i = self.getbands().index(channel) if isinstance(channel, str) else channel
        return Image("L", self._a[..., i].copy() if self._a.ndim == 3 else self._a.copy())

    def split(self):
        return tuple([self.getchannel(i) for i in range(len(self.getbands()))]) if self._a.ndim == 3 else (self.copy(),)

    def getpalette(self, rawmode="RGB"):
        if rawmode != "RGB":
            raise NotImplementedError("Image.getpalette: palettes are of RGB")
        return None if self._palette is None else self._palette.reshape(-1).tolist()

    def putpalette(self, data, rawmode="RGB"):
        if rawmode != "RGB":
            raise NotImplementedError("Image.putpalette: palettes are of RGB")
        self._palette = _np.array(list(data), "uint8").reshape(-1, 3)
        self.mode = "P"

    def putalpha(self, alpha):
        im = self.convert("LA" if self.mode in ("L", "LA") else "RGBA")
        im._a[..., -1] = alpha if isinstance(alpha, int) else alpha._a
        self.mode, self._a = im.mode, im._a

    def point(self, lut, mode=None):
        if callable(lut):
            lut = [lut(i) for i in range(256)] * len(self.getbands())
        table = _np.array([min(255, max(0, int(v))) for v in lut], "uint8")
        if self._a.ndim == 2:
            return self._new(table[self._a.astype("int64")], mode)
        step = 256 if len(lut) >= 256 * self._a.shape[2] else 0
        at = self._a.astype("int64") + _np.arange(self._a.shape[2]) * step
        return self._new(table[at], mode)

    def paste(self, im, box=None, mask=None):
        x, y = (0, 0) if box is None else box[:2]
        w, h = im.size if isinstance(im, Image) else (box[2] - x, box[3] - y) if box is not None else self.size
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, self.width), min(y + h, self.height)
        if x1 <= x0 or y1 <= y0:
            return
        part = (slice(y0, y1), slice(x0, x1))
        if isinstance(im, Image):
            new = im.convert(self.mode)._a[y0 - y:y1 - y, x0 - x:x1 - x]
        else:
            new = _np.zeros(self._a[part].shape, self._a.dtype) + _np.array(_color(im, self.mode), self._a.dtype)
        if mask is not None:
            m = (mask._a[..., -1] if mask._a.ndim == 3 else mask._a)[y0 - y:y1 - y, x0 - x:x1 - x].astype("int64")
            m = m[..., None] if self._a.ndim == 3 else m
            t = self._a[part].astype("int64") * (255 - m) + new.astype("int64") * m + 128
            new = ((t >> 8) + t >> 8).astype("uint8")
        self._a[part] = new

    def alpha_composite(self, im, dest=(0, 0), source=(0, 0)):
        over = im.crop(source + im.size if len(source) == 2 else source)
        box = (dest[0], dest[1], dest[0] + over.width, dest[1] + over.height)
        self.paste(alpha_composite(self.crop(box), over), box)

    # ---- shapes

    def crop(self, box=None):
        if box is None:
            return self.copy()
        x0, y0, x1, y1 = [int(_b.round(v)) for v in box]
        if x1 < x0:
            raise ValueError("Coordinate 'right' is less than 'left'")
        if y1 < y0:
            raise ValueError("Coordinate 'lower' is less than 'upper'")
        out = _np.zeros((y1 - y0, x1 - x0) + self._a.shape[2:], self._a.dtype)
        a, b, c, d = max(x0, 0), max(y0, 0), min(x1, self.width), min(y1, self.height)
        if a < c and b < d:
            out[b - y0:d - y0, a - x0:c - x0] = self._a[b:d, a:c]
        return self._new(out)

    def transpose(self, method):
        a, m = self._a, int(method)
        turned = a.swapaxes(0, 1)
        a = (a[:, ::-1], a[::-1], turned[::-1], a[::-1, ::-1], turned[:, ::-1], turned, turned[::-1, ::-1])[m]
        return self._new(a.copy())

    def resize(self, size, resample=None, box=None, reducing_gap=None):
        from PIL import _resize
        size = tuple([int(n) for n in size])
        if resample is None:
            resample = NEAREST if self.mode in ("1", "P") or ";" in self.mode else BICUBIC
        if box is None:
            box = (0, 0) + self.size
        box = tuple(box)
        if self.size == size and box == (0, 0) + self.size:
            return self.copy()
        if self.mode in ("1", "P"):
            resample = NEAREST
        if self.mode in ("LA", "RGBA") and resample != NEAREST:
            return self._new(_resize.with_alpha(self._a, size, resample, box))
        im = self
        if reducing_gap is not None and resample != NEAREST:
            fx = int((box[2] - box[0]) / size[0] / reducing_gap) or 1
            fy = int((box[3] - box[1]) / size[1] / reducing_gap) or 1
            if fx > 1 or fy > 1:
                im = self.reduce((fx, fy))
                box = (box[0] / fx, box[1] / fy, box[2] / fx, box[3] / fy)
        return self._new(_resize.resized(im._a, size, int(resample), box))

    def reduce(self, factor, box=None):
        from PIL import _resize
        factor = (factor, factor) if isinstance(factor, int) else factor
        im = self if box is None else self.crop(box)
        return im._new(_resize.reduced(im._a, factor))

    def thumbnail(self, size, resample=BICUBIC, reducing_gap=2.0):
        x, y = [_math.floor(n) for n in size]
        if x >= self.width and y >= self.height:
            return
        aspect = self.width / self.height
        if x / y >= aspect:
            x = _closest(y * aspect, lambda n: abs(aspect - n / y))
        else:
            y = _closest(x / aspect, lambda n: 0 if n == 0 else abs(aspect - x / n))
        if self.size != (x, y):
            im = self.resize((x, y), resample, reducing_gap=reducing_gap)
            self._a = im._a

    def rotate(self, angle, resample=NEAREST, expand=0, center=None, translate=None, fillcolor=None):
        angle = angle % 360.0
        if not (center or translate):
            if angle == 0:
                return self.copy()
            if angle == 180:
                return self.transpose(Transpose.ROTATE_180)
            if angle in (90, 270) and (expand or self.width == self.height):
                return self.transpose(Transpose.ROTATE_90 if angle == 90 else Transpose.ROTATE_270)
        w, h = self.size
        dx, dy = translate or (0, 0)
        cx, cy = center or (w / 2.0, h / 2.0)
        angle = -_math.radians(angle)
        m = [_b.round(_math.cos(angle), 15), _b.round(_math.sin(angle), 15), 0.0,
             _b.round(-_math.sin(angle), 15), _b.round(_math.cos(angle), 15), 0.0]

        def moved(x, y):
            return m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]

        m[2], m[5] = moved(-cx - dx, -cy - dy)
        m[2] += cx
        m[5] += cy
        if expand:
            xs, ys = [], []
            for x, y in ((0, 0), (w, 0), (w, h), (0, h)):
                tx, ty = moved(x, y)
                xs.append(tx)
                ys.append(ty)
            nw, nh = _math.ceil(max(xs)) - _math.floor(min(xs)), _math.ceil(max(ys)) - _math.floor(min(ys))
            m[2], m[5] = moved(-(nw - w) / 2.0, -(nh - h) / 2.0)
            w, h = nw, nh
        return self.transform((w, h), AFFINE, m, resample, fillcolor=fillcolor)

    def transform(self, size, method, data=None, resample=NEAREST, fill=1, fillcolor=None):
        from PIL import _resize
        if method == Transform.EXTENT:
            x0, y0, x1, y1 = data
            data, method = ((x1 - x0) / size[0], 0, x0, 0, (y1 - y0) / size[1], y0), AFFINE
        if method not in (AFFINE, PERSPECTIVE):
            raise NotImplementedError("Image.transform: AFFINE, EXTENT and PERSPECTIVE are here")
        if self.mode in ("1", "P"):
            resample = NEAREST
        color = 0 if fillcolor is None else _np.array(_color(fillcolor, self.mode))
        return self._new(_resize.warped(self._a, size, data, int(resample), color if fill else 0, method == PERSPECTIVE))

    # ---- modes

    def convert(self, mode=None, matrix=None, dither=Dither.FLOYDSTEINBERG, palette=0, colors=256):
        from PIL import _modes
        if matrix is not None or palette != 0 or colors != 256:
            raise NotImplementedError("Image.convert: by mode alone")
        if mode is None:
            mode = "RGB" if self.mode == "P" else self.mode
        if mode == self.mode:
            return self.copy()
        return Image(mode, _modes.converted(self, mode, dither), None, dict(self.info))

    def filter(self, filter):
        return (filter() if callable(filter) else filter).filter(self)

    def quantize(self, *args, **kwargs):
        raise NotImplementedError("Image.quantize: pictures of few colors are not made here")

    # ---- files

    def save(self, fp, format=None, **params):
        from PIL import _files
        name = fp.name if hasattr(fp, "write") and hasattr(fp, "name") else fp
        if format is None:
            ext = _os.path.splitext(str(name))[1].lower()
            format = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".ppm": "PPM", ".pgm": "PPM", ".pnm": "PPM", ".gif": "GIF"}.get(ext)
            if format is None:
                raise ValueError(f"unknown file extension: {ext}")
        format = {"JPG": "JPEG"}.get(format.upper(), format.upper())
        if format == "PNG":
            data = _files.write_png(self, params.get("dpi"))
        elif format == "JPEG":
            data = _files.write_jpeg(self, params.get("quality", 75))
        elif format == "PPM":
            data = _files.write_pnm(self)
        elif format == "GIF":
            more = list(params.get("append_images", ())) if params.get("save_all") else []
            data = _files.write_gif([self] + more, params.get("duration"), params.get("loop"))
        else:
            raise NotImplementedError(f"Image.save: {format}; PNG, JPEG, PPM and GIF are here")
        if hasattr(fp, "write"):
            fp.write(data)
        else:
            with _b.open(fp, "wb") as f:
                f.write(data)

    def show(self, title=None):
        import weft
        gray = self.convert("L")
        if title is not None:
            print(title)
        print(weft.picture(gray._a / 255))


class _Access:
    def __init__(self, image):
        self.image = image

    def __getitem__(self, xy):
        return self.image.getpixel(xy)

    def __setitem__(self, xy, value):
        self.image.putpixel(xy, value)


def _at(image, xy):
    x, y = [int(v) for v in xy]
    if not (-image.width <= x < image.width and -image.height <= y < image.height):
        raise IndexError("image index out of range")
    return y, x


def _closest(number, key):
    return max(min(_math.floor(number), _math.ceil(number), key=key), 1)


def _color(color, mode):
    if isinstance(color, str):
        from PIL.ImageColor import getcolor
        color = getcolor(color, mode)
    n = len(_BANDS[mode])
    if isinstance(color, (int, float)):
        return [color] * n if n > 1 and mode != "RGBA" else [color, color, color, 255] if mode == "RGBA" else color
    color = list(color)
    return color[0] if n == 1 else (color + [255])[:n] if len(color) < n else color[:n]


# ---- making them

def new(mode, size, color=0):
    if mode not in _BANDS:
        raise ValueError(f"unrecognized image mode")
    n = len(_BANDS[mode])
    shape = (size[1], size[0]) + ((n,) if n > 1 else ())
    a = _np.zeros(shape, _DTYPES.get(mode, "uint8"))
    if color is not None and color != 0:
        a[...] = _np.array(_color(color, mode) if not (isinstance(color, int) and n > 1) else [color] + [0] * (n - 1), a.dtype)
    return Image(mode, a)


def fromarray(obj, mode=None):
    a = _np.asarray(obj)
    if a.dtype == _np.bool_:
        return Image("1", a.astype("uint8") * 255)
    kinds = {("uint8", 2): "L", ("int32", 2): "I", ("float32", 2): "F", ("uint16", 2): "I;16"}
    if a.ndim == 3 and a.dtype == _np.uint8:
        guess = {2: "LA", 3: "RGB", 4: "RGBA"}.get(a.shape[2])
    else:
        guess = kinds.get((str(a.dtype), a.ndim))
    if guess is None:
        raise TypeError(f"Cannot handle this data type: {(1, 1) + a.shape[2:]}, {'<f8' if a.dtype == 'float64' else a.dtype}")
    return Image(mode or guess, a.copy())


def frombytes(mode, size, data, decoder_name="raw"):
    if decoder_name != "raw":
        raise NotImplementedError(f"Image.frombytes: decoder '{decoder_name}'; 'raw' is here")
    n = len(_BANDS[mode])
    a = _np.frombuffer(data, _DTYPES.get(mode, "uint8"))
    if a.size < size[0] * size[1] * n:
        raise ValueError("not enough image data")
    return Image(mode, a.reshape((size[1], size[0]) + ((n,) if n > 1 else ())).copy())


frombuffer = frombytes


def open(fp, mode="r", formats=None):
    from PIL import _files
    if mode != "r":
        raise ValueError(f"bad mode {mode!r}")
    if hasattr(fp, "read"):
        data, name = fp.read(), getattr(fp, "name", "")
    else:
        name = _os.fspath(fp)
        with _b.open(name, "rb") as f:
            data = f.read()
    format, pixels, a, palette, info = _files.read(data, name)
    if formats is not None and format not in formats:
        raise UnidentifiedImageError(f"cannot identify image file {name!r}")
    im = Image(pixels, a, palette, info)
    im.format, im.filename = format, name
    return im


def merge(mode, bands):
    return Image(mode, _np.stack([b._a for b in bands], -1))


def blend(im1, im2, alpha):
    # Both as 32-bit floats, cut off at the next whole number below
    a, b = im1._a.astype("float32"), im2._a.astype("float32")
    out = a + _np.float32(alpha) * (b - a)
    return im1._new((out if 0 <= alpha <= 1 else _np.clip(out, 0, 255)).astype("int32").astype("uint8"))


def composite(image1, image2, mask):
    out = image2.copy()
    out.paste(image1, None, mask)
    return out


def alpha_composite(im1, im2):
    a, b = im1._a.astype("int64"), im2._a.astype("int64")
    aa, ba = a[..., 3:], b[..., 3:]
    blend_ = aa * (255 - ba)
    out = ba * 255 + blend_
    c1 = _np.where(out > 0, ba * 255 * 255 * 128 // _np.maximum(out, 1), 0)
    c2 = 255 * 128 - c1
    t = b[..., :3] * c1 + a[..., :3] * c2 + (128 << 7)
    color = ((t >> 8) + t) >> 8 + 7
    alpha = out + 128
    alpha = ((alpha >> 8) + alpha) >> 8
    res = _np.concatenate([color, alpha], -1)
    return im1._new(_np.where(ba == 0, a, res).astype("uint8"))


def eval(image, *args):
    return image.point(args[0])


def linear_gradient(mode):
    return Image(mode, _np.repeat(_np.arange(256).astype("uint8")[:, None], 256, axis=1))


def isImageType(t):
    return isinstance(t, Image)
