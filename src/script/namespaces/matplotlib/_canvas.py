# matplotlib._canvas -- what a figure is drawn on. One interface, sizes in points, y downwards; three kinds:
#
#   Pixels   an array of RGB bytes, filled by _image.fill; saved as PNG, JPEG or PPM
#   Svg      text
#   Pdf      one page of PDF 1.4, letters in Helvetica
#
#   polygon(points, color, clip)          points [x, y, x, y, ..]; color (r, g, b, a)
#   line(points, color, width, dashes, clip)
#   text(x, y, string, size, color, ha, va, angle)
#   image(rgb, x, y, w, h, clip)          rgb an array [rows, columns, 3] of bytes
import math as _math

import _image
import numpy as _np
from matplotlib import _font


def _circle(x, y, r, n=12):
    return [v for k in range(n) for v in (x + r * _math.cos(2 * _math.pi * k / n), y + r * _math.sin(2 * _math.pi * k / n))]


def dashed(points, dashes):
    # the polyline cut into pieces by lengths on and off
    if not dashes or sum(dashes) <= 0:
        return [points]
    out, part, k, left = [], list(points[:2]), 0, dashes[0]
    for i in range(0, len(points) - 2, 2):
        x0, y0, x1, y1 = points[i:i + 4]
        length = _math.hypot(x1 - x0, y1 - y0)
        at = 0.0
        while length - at > left:
            at += left
            x, y = x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length
            if k % 2 == 0:
                out.append(part + [x, y])
            part = [x, y]
            k += 1
            left = dashes[k % len(dashes)]
        left -= length - at
        part = part + [x1, y1]
    if k % 2 == 0 and len(part) >= 4:
        out.append(part)
    return out


def _parts(canvas, x, y, string, size, color, ha, va, angle):
    # a line with raised and lowered parts, one after the other
    c, s = _math.cos(_math.radians(angle)), _math.sin(_math.radians(angle))
    at = {"left": 0, "center": -0.5, "right": -1}[ha] * _font.width(string, size)
    down = {"baseline": 0, "bottom": -0.2, "center": 0.35, "center_baseline": 0.35, "top": 0.75}[va] * size
    for text, scale, rise in _font.runs(string):
        up = rise * size - down
        canvas.text(x + at * c - up * s, y - at * s - up * c, text, size * scale, color, "left", "baseline", angle)
        at += _font.width(text, size * scale)


class Pixels:
    def __init__(self, width, height, dpi, background):
        self.scale = dpi / 72.0
        self.w, self.h = int(width * dpi + 1e-6), int(height * dpi + 1e-6)
        color = bytes([int(c * 255 + 0.5) for c in background[:3]])
        self.rgb = bytearray(color * (self.w * self.h))

    def _clip(self, clip):
        if clip is None:
            return (0, 0, self.w, self.h)
        s = self.scale
        return (int(clip[0] * s), int(clip[1] * s), int(_math.ceil(clip[2] * s)), int(_math.ceil(clip[3] * s)))

    def _fill(self, pieces, color, clip):
        _image.fill(self.rgb, self.w, self.h, pieces, color, self._clip(clip))

    def polygon(self, points, color, clip=None):
        self._fill([[v * self.scale for v in points]], color, clip)

    def line(self, points, color, width, dashes=None, clip=None):
        r = max(width * self.scale, 1.0) / 2
        fade = min(1.0, width * self.scale)
        pieces = []
        for part in dashed(points, dashes):
            p = [v * self.scale for v in part]
            for i in range(0, len(p) - 2, 2):
                x0, y0, x1, y1 = p[i:i + 4]
                n = _math.hypot(x1 - x0, y1 - y0)
                if n == 0:
                    continue
                dx, dy = (x1 - x0) * r / n, (y1 - y0) * r / n
                pieces.append([x0 - dy, y0 + dx, x0 + dy, y0 - dx, x1 + dy, y1 - dx, x1 - dy, y1 + dx])
                if i and r > 0.7:
                    pieces.append(_circle(x0, y0, r, 8))
        if pieces:
            self._fill(pieces, tuple(color[:3]) + (color[3] * fade,), clip)

    def text(self, x, y, string, size, color, ha="left", va="baseline", angle=0):
        if "\x03" in string:
            return _parts(self, x, y, string, size, color, ha, va, angle)
        u = size / 9.0
        w = _font.width(string, size) - 2 * u
        x0 = {"left": 0, "center": -w / 2, "right": -w}[ha]
        y0 = {"baseline": 0, "bottom": -1 * u, "center": 3 * u, "center_baseline": 3 * u, "top": 6.5 * u}[va]
        c, s = _math.cos(_math.radians(angle)), _math.sin(_math.radians(angle))
        pen = max(size / 11.0, 0.7 / self.scale)
        for ch in string:
            wide, lines = _font.glyph(ch)
            for part in lines:
                p = []
                for gx, gy in part:
                    px, py = x0 + gx * u, y0 - (gy - 2) * u
                    p += [x + px * c + py * s, y - px * s + py * c]
                self.line(p, color, pen)
            x0 += (wide + 2) * u

    def image(self, rgb, x, y, w, h, clip=None):
        s = self.scale
        x0, y0, x1, y1 = [int(round(v * s)) for v in (x, y, x + w, y + h)]
        box = self._clip(clip)
        a, b, c, d = max(x0, box[0], 0), max(y0, box[1], 0), min(x1, box[2], self.w), min(y1, box[3], self.h)
        if a >= c or b >= d:
            return
        columns = ((_np.arange(a, c) - x0 + 0.5) * rgb.shape[1] / (x1 - x0)).astype("int64").clip(0, rgb.shape[1] - 1)
        rows = ((_np.arange(b, d) - y0 + 0.5) * rgb.shape[0] / (y1 - y0)).astype("int64").clip(0, rgb.shape[0] - 1)
        part = rgb[rows][:, columns]
        for i in range(d - b):
            at = ((b + i) * self.w + a) * 3
            self.rgb[at:at + (c - a) * 3] = part[i].tobytes()

    def array(self):
        return _np.frombuffer(bytes(self.rgb), "uint8").reshape(self.h, self.w, 3)

    def save(self, file, format):
        from PIL import Image
        Image.Image("RGB", self.array()).save(file, format=format, **({"dpi": (self.scale * 72,) * 2} if format == "png" else {}))


def _number(v):
    text = f"{v:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _hex(color):
    return "#%02x%02x%02x" % tuple([int(c * 255 + 0.5) for c in color[:3]])


def _png(rgb):
    import io
    from PIL import Image
    f = io.BytesIO()
    Image.Image("RGB", rgb).save(f, "PNG")
    return f.getvalue()


class Svg:
    def __init__(self, width, height, dpi, background):
        self.width, self.height = width * 72, height * 72
        self.parts, self.clips = [], {}
        self.polygon([0, 0, self.width, 0, self.width, self.height, 0, self.height], tuple(background) + (1.0,) * (4 - len(background)))

    def _clip(self, clip):
        if clip is None:
            return ""
        key = tuple([_number(v) for v in (clip[0], clip[1], clip[2] - clip[0], clip[3] - clip[1])])
        if key not in self.clips:
            self.clips[key] = f"c{len(self.clips)}"
        return f' clip-path="url(#{self.clips[key]})"'

    def _path(self, points):
        return " ".join([("M" if i == 0 else "L") + _number(points[i]) + " " + _number(points[i + 1])
                         for i in range(0, len(points) - 1, 2)])

    def polygon(self, points, color, clip=None):
        see = "" if color[3] >= 1 else f' fill-opacity="{_number(color[3])}"'
        self.parts.append(f'<path d="{self._path(points)}Z" fill="{_hex(color)}"{see}{self._clip(clip)}/>')

    def line(self, points, color, width, dashes=None, clip=None):
        see = "" if color[3] >= 1 else f' stroke-opacity="{_number(color[3])}"'
        dash = f' stroke-dasharray="{",".join([_number(d) for d in dashes])}"' if dashes else ""
        self.parts.append(f'<path d="{self._path(points)}" fill="none" stroke="{_hex(color)}" stroke-width="{_number(width)}" '
                          f'stroke-linejoin="round"{dash}{see}{self._clip(clip)}/>')

    def text(self, x, y, string, size, color, ha="left", va="baseline", angle=0):
        if "\x03" in string:
            return _parts(self, x, y, string, size, color, ha, va, angle)
        y0 = {"baseline": 0, "bottom": -0.2, "center": 0.35, "center_baseline": 0.35, "top": 0.75}[va] * size
        anchor = {"left": "start", "center": "middle", "right": "end"}[ha]
        turn = f' transform="rotate({_number(-angle)} {_number(x)} {_number(y)})"' if angle else ""
        string = string.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.parts.append(f'<text x="{_number(x)}" y="{_number(y + y0)}" font-size="{_number(size)}" text-anchor="{anchor}" '
                          f'fill="{_hex(color)}" font-family="DejaVu Sans, Helvetica, sans-serif"{turn}>{string}</text>')

    def image(self, rgb, x, y, w, h, clip=None):
        import base64
        data = base64.b64encode(_png(rgb)).decode()
        self.parts.append(f'<image x="{_number(x)}" y="{_number(y)}" width="{_number(w)}" height="{_number(h)}" '
                          f'preserveAspectRatio="none" style="image-rendering:pixelated"{self._clip(clip)} '
                          f'href="data:image/png;base64,{data}"/>')

    def save(self, file, format):
        clips = "".join([f'<clipPath id="{name}"><rect x="{k[0]}" y="{k[1]}" width="{k[2]}" height="{k[3]}"/></clipPath>\n'
                         for k, name in self.clips.items()])
        text = (f'<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" '
                f'width="{_number(self.width)}pt" height="{_number(self.height)}pt" '
                f'viewBox="0 0 {_number(self.width)} {_number(self.height)}">\n<defs>\n{clips}</defs>\n'
                + "\n".join(self.parts) + "\n</svg>\n")
        _write(file, text.encode())


def _write(file, data):
    if hasattr(file, "write"):
        file.write(data)
    else:
        with open(file, "wb") as f:
            f.write(data)


# What the font of a PDF has no sign for.
_SPELLED = {"\u2212": "-", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda",
            "μ": "\u00b5", "ν": "nu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma",
            "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Π": "Pi", "Σ": "Sigma", "Ω": "Omega", "∇": "grad ", "∂": "d", "∞": "inf", "≤": "<=", "≥": ">=",
            "→": "->", "≈": "~", "≠": "!=", "√": "sqrt "}


class Pdf:
    def __init__(self, width, height, dpi, background):
        self.width, self.height = width * 72, height * 72
        self.parts, self.images, self.alphas = [], [], {}
        self.polygon([0, 0, self.width, 0, self.width, self.height, 0, self.height], tuple(background) + (1.0,) * (4 - len(background)))

    def _open(self, color, clip):
        out = ["q"]
        if clip is not None:
            out.append(f"{_number(clip[0])} {_number(self.height - clip[3])} {_number(clip[2] - clip[0])} "
                       f"{_number(clip[3] - clip[1])} re W n")
        if color is not None and color[3] < 1:
            name = self.alphas.setdefault(_number(color[3]), f"A{len(self.alphas)}")
            out.append(f"/{name} gs")
        return out

    def _path(self, points):
        return " ".join([f"{_number(points[i])} {_number(self.height - points[i + 1])} {'m' if i == 0 else 'l'}"
                         for i in range(0, len(points) - 1, 2)])

    def polygon(self, points, color, clip=None):
        self.parts += self._open(color, clip) + [" ".join([_number(c) for c in color[:3]]) + " rg", self._path(points) + " f", "Q"]

    def line(self, points, color, width, dashes=None, clip=None):
        dash = f"[{' '.join([_number(d) for d in dashes])}] 0 d " if dashes else ""
        self.parts += self._open(color, clip) + [f"{_number(width)} w 1 j {dash}" + " ".join([_number(c) for c in color[:3]])
                                                 + " RG", self._path(points) + " S", "Q"]

    def text(self, x, y, string, size, color, ha="left", va="baseline", angle=0):
        if "\x03" in string:
            return _parts(self, x, y, string, size, color, ha, va, angle)
        string = "".join([_SPELLED.get(c, c) for c in string])
        w = sum([_HELVETICA.get(c, 556) for c in string]) * size / 1000
        x0 = {"left": 0, "center": -w / 2, "right": -w}[ha]
        y0 = {"baseline": 0, "bottom": 0.2, "center": -0.35, "center_baseline": -0.35, "top": -0.75}[va] * size
        c, s = _math.cos(_math.radians(angle)), _math.sin(_math.radians(angle))
        px, py = x + x0 * c - y0 * s, self.height - y + x0 * s + y0 * c
        safe = string.encode("latin-1", "replace").decode("latin-1").replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        self.parts += ["BT", " ".join([_number(v) for v in color[:3]]) + f" rg /F1 {_number(size)} Tf",
                       f"{c:.4f} {s:.4f} {-s:.4f} {c:.4f} {_number(px)} {_number(py)} Tm ({safe}) Tj", "ET"]

    def image(self, rgb, x, y, w, h, clip=None):
        self.images.append(rgb)
        self.parts += self._open(None, clip) + [f"{_number(w)} 0 0 {_number(h)} {_number(x)} {_number(self.height - y - h)} cm "
                                                f"/I{len(self.images) - 1} Do", "Q"]

    def save(self, file, format):
        import zlib
        objects = ["<< /Type /Catalog /Pages 2 0 R >>".encode(), b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
        xo = " ".join([f"/I{i} {6 + i} 0 R" for i in range(len(self.images))])
        gs = " ".join([f"/{n} << /CA {a} /ca {a} >>" for a, n in self.alphas.items()])
        objects.append((f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_number(self.width)} {_number(self.height)}] /Contents 5 0 R "
                        f"/Resources << /Font << /F1 4 0 R >> /XObject << {xo} >> /ExtGState << {gs} >> >> >>").encode())
        objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
        body = zlib.compress("\n".join(self.parts).encode("latin-1"))
        objects.append(f"<< /Length {len(body)} /Filter /FlateDecode >>\nstream\n".encode() + body + b"\nendstream")
        for rgb in self.images:
            data = zlib.compress(rgb.tobytes())
            objects.append((f"<< /Type /XObject /Subtype /Image /Width {rgb.shape[1]} /Height {rgb.shape[0]} /ColorSpace "
                            f"/DeviceRGB /BitsPerComponent 8 /Length {len(data)} /Filter /FlateDecode >>\nstream\n").encode()
                           + data + b"\nendstream")
        out, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
        for i, o in enumerate(objects):
            places.append(len(out))
            out += f"{i + 1} 0 obj\n".encode() + o + b"\nendobj\n"
        at = len(out)
        out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
        out += "".join([f"{p:010d} 00000 n \n" for p in places]).encode()
        out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n".encode()
        _write(file, out)


_HELVETICA = {" ": 278, ".": 278, ",": 278, ":": 278, ";": 278, "!": 278, "i": 222, "j": 222, "l": 222, "t": 278, "f": 278,
              "r": 333, "-": 333, "(": 333, ")": 333, "m": 833, "w": 722, "c": 500, "k": 500, "s": 500, "v": 500, "x": 500,
              "y": 500, "z": 500, "I": 278, "M": 833, "W": 944, "A": 667, "B": 667, "C": 722, "D": 722, "E": 667, "F": 611,
              "G": 778, "H": 722, "J": 500, "K": 667, "N": 722, "O": 778, "P": 667, "Q": 778, "R": 722, "S": 667, "T": 611,
              "U": 722, "V": 667, "X": 667, "Y": 667, "Z": 611, "+": 584, "=": 584, "'": 191, "%": 889}

KINDS = {"png": Pixels, "jpg": Pixels, "jpeg": Pixels, "ppm": Pixels, "svg": Svg, "pdf": Pdf}
