# PIL._files -- pictures from and to bytes. PNG is the W3C's second edition, PNM netpbm's; JPEG is libjpeg's.
#
# A reader gives (format, mode, array, palette, info).
import zlib as _zlib

import _image
import numpy as _np
from PIL import UnidentifiedImageError

_PNG = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def _chunks(data):
    at = 8
    while at + 8 <= len(data):
        n = int.from_bytes(data[at:at + 4], "big")
        if at + 12 + n > len(data):
            raise OSError("image file is truncated")
        body = data[at + 8:at + 8 + n]
        if _zlib.crc32(data[at + 4:at + 8 + n]) != int.from_bytes(data[at + 8 + n:at + 12 + n], "big"):
            raise SyntaxError("broken PNG file (bad header checksum in " + repr(bytes(data[at + 4:at + 8])) + ")")
        yield bytes(data[at + 4:at + 8]), body
        at += 12 + n


def _samples(data, width, height, depth, channels):
    # (array [height, width, channels], bytes used)
    row = (width * channels * depth + 7) // 8
    flat = _image.unfilter(data, height, row, max(1, channels * depth // 8))
    if depth == 16:
        a = _np.frombuffer(flat, ">u2")
    elif depth == 8:
        a = _np.frombuffer(flat, "uint8")
    else:
        a = _np.frombuffer(_image.unpack(flat, height, row, width * channels, depth), "uint8")
    return a.reshape(height, width, channels), height * (row + 1)


def _interlaced(data, width, height, depth, channels):
    out = _np.zeros((height, width, channels), "uint16" if depth == 16 else "uint8")
    at = 0
    for x0, y0, dx, dy in _PASSES:
        w, h = (width - x0 + dx - 1) // dx, (height - y0 + dy - 1) // dy
        if w > 0 and h > 0:
            part, used = _samples(data[at:], w, h, depth, channels)
            out[y0::dy, x0::dx] = part
            at += used
    return out


def read_png(data):
    head, palette, info, body, clear = None, None, {}, [], None
    for kind, part in _chunks(data):
        if kind == b"IHDR":
            head = part
        elif kind == b"PLTE":
            palette = _np.frombuffer(part, "uint8").reshape(-1, 3)
        elif kind == b"tRNS":
            clear = part
        elif kind == b"IDAT":
            body.append(part)
        elif kind == b"tEXt":
            key, _, text = part.partition(b"\0")
            info[key.decode("latin-1")] = text.decode("latin-1")
        elif kind == b"pHYs" and len(part) == 9 and part[8] == 1:
            info["dpi"] = (int.from_bytes(part[:4], "big") * 0.0254, int.from_bytes(part[4:8], "big") * 0.0254)
        elif kind == b"IEND":
            break
    if head is None or len(head) != 13:
        raise UnidentifiedImageError("cannot identify image file")
    width, height = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    depth, color, interlaced = head[8], head[9], head[12]
    if color not in _CHANNELS or depth not in (1, 2, 4, 8, 16):
        raise UnidentifiedImageError("cannot identify image file")
    try:
        raw = _zlib.decompress(b"".join(body))
    except _zlib.error as e:
        raise OSError(f"image file is truncated ({e})") from None
    channels = _CHANNELS[color]
    a = _interlaced(raw, width, height, depth, channels) if interlaced else _samples(raw, width, height, depth, channels)[0]
    if clear is not None:
        info["transparency"] = clear if color == 3 else int.from_bytes(clear, "big") if color == 0 else tuple(
            [int.from_bytes(clear[i:i + 2], "big") for i in (0, 2, 4)])
    if color == 0 and depth == 16:
        return "PNG", "I;16", a[..., 0], None, info
    if depth == 16:
        a = (a >> 8).astype("uint8")
    if color == 0:
        if depth == 1:
            return "PNG", "1", a[..., 0] * 255, None, info
        return "PNG", "L", a[..., 0] * (255 // (2 ** depth - 1)) if depth < 8 else a[..., 0], None, info
    if color == 3:
        return "PNG", "P", a[..., 0], palette, info
    return "PNG", {2: "RGB", 4: "LA", 6: "RGBA"}[color], a, None, info


def _chunk(kind, body):
    return len(body).to_bytes(4, "big") + kind + body + _zlib.crc32(kind + body).to_bytes(4, "big")


def write_png(image, dpi=None):
    a, depth = image._a, 8
    if image.mode == "1":
        a, color, depth = _np.packbits(a > 0, axis=1), 0, 1
    elif image.mode in ("I;16", "I"):
        a = a.astype("uint16")
        a = _np.stack([a >> 8, a & 255], -1).astype("uint8")
        color, depth = 0, 16
    else:
        color = {"L": 0, "RGB": 2, "P": 3, "LA": 4, "RGBA": 6}.get(image.mode)
        if color is None:
            raise OSError(f"cannot write mode {image.mode} as PNG")
    height = a.shape[0]
    rows = _np.concatenate([_np.zeros((height, 1), "uint8"), a.reshape(height, -1)], 1)
    head = image.width.to_bytes(4, "big") + image.height.to_bytes(4, "big") + bytes([depth, color, 0, 0, 0])
    out = _PNG + _chunk(b"IHDR", head)
    if color == 3:
        out += _chunk(b"PLTE", image._palette.tobytes())
    if dpi is not None:
        x, y = [int(d / 0.0254 + 0.5) for d in dpi]
        out += _chunk(b"pHYs", x.to_bytes(4, "big") + y.to_bytes(4, "big") + b"\x01")
    return out + _chunk(b"IDAT", _zlib.compress(rows.tobytes())) + _chunk(b"IEND", b"")


def _indexed(image):
    # (indices, up to 256 colors): its own where it has no more, else six levels of each channel
    a = image.convert("RGB")._a.astype("int64")
    flat = ((a[..., 0] << 16) | (a[..., 1] << 8) | a[..., 2]).reshape(-1)
    found, where = _np.unique(flat, return_inverse=True)
    if len(found) > 256:
        level = (a * 5 + 127) // 255
        where = (level[..., 0] * 36 + level[..., 1] * 6 + level[..., 2]).reshape(-1)
        k = _np.arange(216)
        found = ((k // 36 * 51) << 16) | ((k // 6 % 6 * 51) << 8) | (k % 6 * 51)
    return where.reshape(-1).tolist(), _np.stack([found >> 16, (found >> 8) & 255, found & 255], -1).astype("uint8")


def _lzw(indices):
    # codes of nine bits and more, packed from the lowest bit, in blocks of up to 255 bytes
    codes, wide, known, out, bits, held = {}, 9, 258, bytearray(), 256, 9
    now = indices[0]
    for i in indices[1:]:
        key = now << 8 | i
        if key in codes:
            now = codes[key]
            continue
        bits |= now << held
        held += wide
        codes[key] = known
        known += 1
        now = i
        if known - 1 == 1 << wide and wide < 12:
            wide += 1
        if known == 4096:
            bits |= 256 << held
            held += wide
            codes, wide, known = {}, 9, 258
        while held >= 8:
            out.append(bits & 255)
            bits >>= 8
            held -= 8
    bits |= now << held | 257 << held + wide
    held += 2 * wide
    out += bits.to_bytes((held + 7) // 8, "little")
    return b"".join([bytes([len(out[k:k + 255])]) + bytes(out[k:k + 255]) for k in range(0, len(out), 255)]) + b"\0"


def write_gif(images, duration=None, loop=None):
    # GIF 89a; each picture with its own colors. duration in milliseconds, one for all or one each; loop 0 is without end
    w, h = images[0].size
    out = b"GIF89a" + w.to_bytes(2, "little") + h.to_bytes(2, "little") + b"\0\0\0"
    if loop is not None:
        out += b"!\xff\x0bNETSCAPE2.0\x03\x01" + int(loop).to_bytes(2, "little") + b"\0"
    for i, image in enumerate(images):
        if image.size != (w, h):
            raise ValueError("images of one size are written as GIF")
        indices, colors = _indexed(image)
        wait = duration[i] if isinstance(duration, (list, tuple)) else duration
        if wait is not None:
            out += b"!\xf9\x04\x08" + (int(wait) // 10).to_bytes(2, "little") + b"\0\0"
        out += b",\0\0\0\0" + w.to_bytes(2, "little") + h.to_bytes(2, "little") + b"\x87" + colors.tobytes() + bytes(768 - 3 * len(colors)) + b"\x08" + _lzw(indices)
    return out + b";"


def read_jpeg(data):
    width, height, channels, pixels = _image.jpeg_decode(data)
    a = _np.frombuffer(pixels, "uint8").reshape(height, width, channels)
    if channels == 4:
        return "JPEG", "CMYK", a, None, {}
    return "JPEG", "L" if channels == 1 else "RGB", a[..., 0] if channels == 1 else a, None, {}


def write_jpeg(image, quality=75):
    if image.mode not in ("L", "RGB"):
        raise OSError(f"cannot write mode {image.mode} as JPEG")
    quality = 75 if quality in (None, -1) else quality
    return _image.jpeg_encode(image._a.tobytes(), image.width, image.height, len(image.getbands()), quality)


def read_pnm(data):
    words, at = [], 2
    kind = data[1] - 48
    while len(words) < (2 if kind in (1, 4) else 3):
        while data[at:at + 1].isspace():
            at += 1
        if data[at:at + 1] == b"#":
            at = data.index(b"\n", at)
            continue
        end = at
        while end < len(data) and not data[end:end + 1].isspace():
            end += 1
        words.append(int(data[at:end]))
        at = end
    width, height = words[0], words[1]
    top = words[2] if len(words) > 2 else 1
    channels = 3 if kind in (3, 6) else 1
    n = width * height * channels
    if kind < 4:
        text = data[at:]
        numbers = [text[i:i + 1] for i in range(len(text)) if not text[i:i + 1].isspace()] if kind == 1 else text.split()
        a = _np.array([int(v) for v in numbers[:n]])
    elif kind == 4:
        row = (width + 7) // 8
        a = _np.frombuffer(_image.unpack(data[at + 1:], height, row, width, 1), "uint8")
    else:
        a = _np.frombuffer(data, ">u2" if top > 255 else "uint8", n, at + 1)
    a = a.reshape(height, width, channels)
    a = a[..., 0] if channels == 1 else a
    if kind in (1, 4):
        return "PPM", "1", ((1 - a) * 255).astype("uint8"), None, {}
    if top > 255 and channels == 1:
        return "PPM", "I", (a.astype("int64") * 65535 // top).astype("int32"), None, {}
    if top != 255:
        a = _np.floor(a.astype("float64") * 255 / top + 0.5)
    return "PPM", "L" if channels == 1 else "RGB", a.astype("uint8"), None, {}


def write_pnm(image):
    kind = {"L": 5, "RGB": 6}.get(image.mode)
    if kind is None:
        raise OSError(f"cannot write mode {image.mode} as PPM")
    return f"P{kind}\n{image.width} {image.height}\n255\n".encode() + image._a.tobytes()


def read(data, name):
    if data[:8] == _PNG:
        return read_png(data)
    if data[:3] == b"\xff\xd8\xff":
        return read_jpeg(data)
    if data[:1] == b"P" and data[1:2] in (b"1", b"2", b"3", b"4", b"5", b"6"):
        return read_pnm(data)
    kinds = {b"GIF8": "GIF", b"RIFF": "WebP", b"II*\0": "TIFF", b"MM\0*": "TIFF"}
    if bytes(data[:4]) in kinds or data[:2] == b"BM":
        raise UnidentifiedImageError(f"{kinds.get(bytes(data[:4]), 'BMP')} images are not read here: PNG, JPEG and PNM are")
    raise UnidentifiedImageError(f"cannot identify image file {name!r}")
