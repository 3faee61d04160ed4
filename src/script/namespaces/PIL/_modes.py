# PIL._modes -- pixels of one mode as those of another, in Pillow's whole numbers.
import numpy as _np


def _gray(rgb):
    a = rgb.astype("int64")
    return ((a[..., 0] * 19595 + a[..., 1] * 38470 + a[..., 2] * 7471 + 0x8000) >> 16).astype("uint8")


def _dithered(gray):
    # Floyd and Steinberg: what a pixel is off by goes to those after it
    a = gray.tolist()
    width = len(a[0]) if a else 0
    errors, out = [0] * (width + 1), []
    for row in a:
        l = l0 = l1 = 0
        new = []
        for x in range(width):
            l = min(255, max(0, row[x] + int((l + errors[x + 1]) / 16)))
            new.append(255 if l > 128 else 0)
            l -= new[-1]
            l2, d2 = l, l + l
            l += d2
            errors[x] = l + l0
            l += d2
            l0 = l + l1
            l1 = l2
            l += d2
        errors[width] = l0
        out.append(new)
    return _np.array(out, "uint8").reshape(gray.shape)


def _to_hsv(rgb):
    # quotients of 32 bits, sums of 64
    a = rgb.astype("float32")
    hi, lo = a.max(axis=2), a.min(axis=2)
    span = _np.maximum(hi - lo, _np.float32(1))
    s = (hi - lo) / _np.maximum(hi, _np.float32(1))
    rc, gc, bc = [((hi - a[..., i]) / span) for i in range(3)]
    rd, gd, bd = [c.astype("float64") for c in (rc, gc, bc)]
    h = _np.where(a[..., 0] == hi, (bc - gc).astype("float64"),
                  _np.where(a[..., 1] == hi, 2.0 + rd - bd, 4.0 + gd - rd)).astype("float32")
    h = _np.fmod(h.astype("float64") / 6.0 + 1.0, 1.0).astype("float32")
    h, s = [_np.where(hi == lo, 0, (x.astype("float64") * 255.0).astype("int64")) for x in (h, s)]
    return _np.clip(_np.stack([h, s, hi.astype("int64")], -1), 0, 255).astype("uint8")


def _from_hsv(hsv):
    a = hsv.astype("float64")
    at, v = a[..., 0] * 6.0 / 255.0, a[..., 2]
    i = _np.floor(at)
    f = (at - i).astype("float32").astype("float64")
    s = (a[..., 1] / 255.0).astype("float32").astype("float64")
    # halves up: nothing here is below zero
    p, q, t = [_np.floor(v * x + 0.5) for x in (1.0 - s, 1.0 - s * f, 1.0 - s * (1.0 - f))]
    i = i.astype("int64") % 6
    parts = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)]
    out = []
    for c in range(3):
        x = parts[5][c]
        for k in range(4, -1, -1):
            x = _np.where(i == k, parts[k][c], x)
        out.append(_np.where(hsv[..., 1] == 0, v, x))
    return _np.clip(_np.stack(out, -1), 0, 255).astype("uint8")


def _table(weight):
    # of weights in 2**-6, each product rounded by itself
    return _np.trunc(_np.arange(256) * weight * 64 + 0.5).astype("int64")


_YCC = ((0.29900, 0.58700, 0.11400), (-0.16874, -0.33126, 0.50000), (0.50000, -0.41869, -0.08131))


def _to_ycbcr(rgb):
    a = rgb.astype("int64")
    out = [sum([_table(w)[a[..., i]] for i, w in enumerate(row)]) >> 6 for row in _YCC]
    return _np.clip(_np.stack([out[0], out[1] + 128, out[2] + 128], -1), 0, 255).astype("uint8")


def _from_ycbcr(ycc):
    a = ycc.astype("int64")

    def part(i, weight):
        return _np.trunc((_np.arange(256) - 128) * weight * 64 + 0.5).astype("int64")[a[..., i]]
    r, g, b = part(2, 1.40200) >> 6, part(1, -0.34414) + part(2, -0.71414) >> 6, part(1, 1.77200) >> 6
    return _np.clip(a[..., :1] + _np.stack([r, g, b], -1), 0, 255).astype("uint8")


def _as_rgb(image):
    mode, a = image.mode, image._a
    if mode == "P":
        return image._palette[a.astype("int64")]
    if mode in ("RGBA", "RGB"):
        return a[..., :3].copy()
    if mode == "LA":
        a = a[..., 0]
    if mode == "HSV":
        return _from_hsv(a)
    if mode == "YCbCr":
        return _from_ycbcr(a)
    if mode == "CMYK":
        b = a.astype("int64")
        t = b[..., :3] * (255 - b[..., 3:]) + 128
        return (255 - b[..., 3:] - (((t >> 8) + t) >> 8)).clip(0, 255).astype("uint8")
    return _np.stack([_as_gray(image, a)] * 3, -1)


def _as_gray(image, a):
    if image.mode in ("I", "F", "I;16"):
        a = _np.clip(a, 0, 255) if image.mode != "I;16" else _np.minimum(a >> 8, 255)
        return a.astype("uint8")
    if image.mode in ("L", "1", "LA"):
        return a[..., 0] if a.ndim == 3 else a
    return _gray(_as_rgb(image))


def converted(image, mode, dither):
    a = image._a
    if mode == "RGB":
        return _as_rgb(image)
    if mode == "L":
        return _as_gray(image, a).copy()
    if mode == "RGBA":
        clear = image.info.get("transparency")
        rgb = _as_rgb(image)
        alpha = a[..., 1] if image.mode == "LA" else _np.full(rgb.shape[:2], 255, "uint8")
        if image.mode == "P" and isinstance(clear, bytes):
            table = _np.full((256,), 255, "uint8")
            table[:len(clear)] = _np.frombuffer(clear, "uint8")
            alpha = table[a.astype("int64")]
        return _np.concatenate([rgb, alpha[..., None]], -1)
    if mode == "LA":
        alpha = a[..., 3] if image.mode == "RGBA" else _np.full(a.shape[:2], 255, "uint8")
        return _np.stack([_as_gray(image, a), alpha], -1)
    if mode == "1":
        gray = _as_gray(image, a)
        if dither and image.mode in ("RGB", "RGBA"):
            b = a.astype("int64")
            gray = (b[..., 0] * 299 + b[..., 1] * 587 + b[..., 2] * 114) // 1000
        return _dithered(gray) if dither else _np.where(gray >= 128, 255, 0).astype("uint8")
    if mode == "HSV":
        return _to_hsv(_as_rgb(image))
    if mode == "YCbCr":
        return _to_ycbcr(_as_rgb(image))
    if mode == "CMYK":
        rgb = 255 - _as_rgb(image)
        return _np.concatenate([rgb, _np.zeros(rgb.shape[:2] + (1,), "uint8")], -1)
    if mode in ("I", "F", "I;16") and image.mode in ("L", "1", "I", "F", "I;16", "RGB", "P"):
        if image.mode in ("RGB", "P") and mode in ("I", "F"):
            b = _as_rgb(image).astype("float32")
            gray = (b[..., 0] * 299.0 + b[..., 1] * 587.0 + b[..., 2] * 114.0) / 1000.0
            return gray.astype("float32") if mode == "F" else _gray(_as_rgb(image)).astype("int32")
        gray = a if image.mode in ("I", "F", "I;16") else _as_gray(image, a)
        return gray.astype({"I": "int32", "F": "float32", "I;16": "uint16"}[mode])
    raise ValueError(f"conversion from {image.mode} to {mode} not supported")
