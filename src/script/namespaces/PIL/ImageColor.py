# PIL.ImageColor -- colors by name and by text.
_NAMES = {"black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#008000", "blue": "#0000ff", "yellow": "#ffff00",
          "cyan": "#00ffff", "magenta": "#ff00ff", "gray": "#808080", "grey": "#808080", "orange": "#ffa500",
          "purple": "#800080", "brown": "#a52a2a", "pink": "#ffc0cb", "lime": "#00ff00", "navy": "#000080",
          "teal": "#008080", "olive": "#808000", "maroon": "#800000", "silver": "#c0c0c0", "gold": "#ffd700",
          "skyblue": "#87ceeb", "violet": "#ee82ee", "indigo": "#4b0082", "coral": "#ff7f50", "crimson": "#dc143c",
          "darkblue": "#00008b", "darkgreen": "#006400", "darkred": "#8b0000", "lightblue": "#add8e6",
          "lightgreen": "#90ee90", "lightgray": "#d3d3d3", "salmon": "#fa8072", "tan": "#d2b48c", "turquoise": "#40e0d0"}


def getrgb(color):
    text = color.lower()
    text = _NAMES.get(text, text)
    if text.startswith("#") and all([c in "0123456789abcdef" for c in text[1:]]):
        if len(text) in (4, 5):
            return tuple([int(c * 2, 16) for c in text[1:]])
        if len(text) in (7, 9):
            return tuple([int(text[i:i + 2], 16) for i in range(1, len(text), 2)])
    if text.startswith("rgb(") and text.endswith(")"):
        parts = [p.strip() for p in text[4:-1].split(",")]
        return tuple([int(float(p[:-1]) * 255 / 100 + 0.5) if p.endswith("%") else int(p) for p in parts])
    raise ValueError(f"unknown color specifier: {color!r}")


def getcolor(color, mode):
    rgb = getrgb(color)
    rgb, alpha = rgb[:3], rgb[3] if len(rgb) == 4 else 255
    if mode in ("L", "1", "LA", "I", "F"):
        r, g, b = rgb
        gray = (r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16
        return (gray, alpha) if mode == "LA" else gray
    return rgb + (alpha,) if mode == "RGBA" else rgb
