# matplotlib.cm -- color maps by name: the library's, by some of their colors with straight lines between.
from matplotlib.colors import Colormap, ListedColormap, Normalize, TABLEAU_COLORS

_STOPS = {
    "viridis": "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
    "plasma": "0d0887 41049d 6a00a8 8f0da4 b12a90 cc4778 e16462 f2844b fca636 fcce25 f0f921",
    "inferno": "000004 160b39 420a68 6a176e 932667 bc3754 dd513a f37819 fca50a f6d746 fcffa4",
    "magma": "000004 140e36 3b0f70 641a80 8c2981 b73779 de4968 f7705c fe9f6d fecf92 fcfdbf",
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "gray": "000000 ffffff", "binary": "ffffff 000000", "hot": "0b0000 ff0000 ffff00 ffffff",
    "jet": "000080 0000ff 0080ff 00ffff 80ff80 ffff00 ff8000 ff0000 800000", "cool": "00ffff ff00ff", "spring": "ff00ff ffff00",
    "summer": "008066 ffff66", "autumn": "ff0000 ffff00", "winter": "0000ff 00ff80", "bone": "000000 545474 a9c8c8 ffffff",
    "copper": "000000 9e6440 ffc77f", "hsv": "ff0000 ffff00 00ff00 00ffff 0000ff ff00ff ff0000",
    "rainbow": "8000ff 2c7ef7 2adddd 80ffb4 d4dd80 ff7e41 ff0000", "coolwarm": "3b4cc0 7396f5 aac7fd dddddd f7b89c e7745b b40426",
    "bwr": "0000ff ffffff ff0000", "seismic": "00004d 0000ff ffffff ff0000 800000",
    "RdBu": "67001f b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061",
    "RdYlBu": "a50026 d73027 f46d43 fdae61 fee090 ffffbf e0f3f8 abd9e9 74add1 4575b4 313695",
    "RdYlGn": "a50026 d73027 f46d43 fdae61 fee08b ffffbf d9ef8b a6d96a 66bd63 1a9850 006837",
    "Spectral": "9e0142 d53e4f f46d43 fdae61 fee08b ffffbf e6f598 abdda4 66c2a5 3288bd 5e4fa2",
    "Blues": "f7fbff deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b",
    "Greens": "f7fcf5 e5f5e0 c7e9c0 a1d99b 74c476 41ab5d 238b45 006d2c 00441b",
    "Reds": "fff5f0 fee0d2 fcbba1 fc9272 fb6a4a ef3b2c cb181d a50f15 67000d",
    "Oranges": "fff5eb fee6ce fdd0a2 fdae6b fd8d3c f16913 d94801 a63603 7f2704",
    "Purples": "fcfbfd efedf5 dadaeb bcbddc 9e9ac8 807dba 6a51a3 54278f 3f007d",
    "Greys": "ffffff f0f0f0 d9d9d9 bdbdbd 969696 737373 525252 252525 000000",
    "YlOrRd": "ffffcc ffeda0 fed976 feb24c fd8d3c fc4e2a e31a1c bd0026 800026",
    "YlGnBu": "ffffd9 edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58",
    "PuOr": "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b",
    "terrain": "333399 0299fa 00cc66 ffff99 805c54 ffffff", "twilight": "e2d9e2 6276ba 2f1436 b0625a e2d9e2",
}
_LISTS = {"tab10": list(TABLEAU_COLORS.values()),
          "Set1": ["#e41a1c", "#377eb8", "#4daf4a", "#984ea3", "#ff7f00", "#ffff33", "#a65628", "#f781bf", "#999999"],
          "Set2": ["#66c2a5", "#fc8d62", "#8da0cb", "#e78ac3", "#a6d854", "#ffd92f", "#e5c494", "#b3b3b3"],
          "Set3": ["#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3", "#fdb462", "#b3de69", "#fccde5", "#d9d9d9", "#bc80bd",
                   "#ccebc5", "#ffed6f"],
          "Paired": ["#a6cee3", "#1f78b4", "#b2df8a", "#33a02c", "#fb9a99", "#e31a1c", "#fdbf6f", "#ff7f00", "#cab2d6", "#6a3d9a",
                     "#ffff99", "#b15928"],
          "Accent": ["#7fc97f", "#beaed4", "#fdc086", "#ffff99", "#386cb0", "#f0027f", "#bf5b17", "#666666"],
          "tab20": [c for a in TABLEAU_COLORS.values() for c in (a, a + "80")]}
_SAME = {"grey": "gray", "Grays": "Greys", "gist_gray": "gray", "gist_grey": "gray"}


def get_cmap(name=None, lut=None):
    if isinstance(name, Colormap):
        return name
    from matplotlib import rcParams
    name = name or rcParams["image.cmap"]
    base = name[:-2] if name.endswith("_r") else name
    base = _SAME.get(base, base)
    if base in _STOPS:
        m = Colormap(base, ["#" + h for h in _STOPS[base].split(" ")])
    elif base in _LISTS:
        m = ListedColormap(_LISTS[base], base)
    else:
        raise ValueError(f"{name!r} is not a valid value for cmap; supported values are "
                         + ", ".join([repr(k) for k in sorted(list(_STOPS) + list(_LISTS))]))
    m = m.reversed() if name.endswith("_r") else m
    return m if lut is None else m.resampled(lut)


class _Registry(dict):
    def __getitem__(self, name):
        return get_cmap(name)

    def get_cmap(self, name):
        return get_cmap(name)


colormaps = _Registry()


class ScalarMappable:
    def __init__(self, norm=None, cmap=None):
        self.norm, self.cmap, self._array = norm or Normalize(), get_cmap(cmap), None

    def set_array(self, A):
        self._array = A

    def get_array(self):
        return self._array

    def get_cmap(self):
        return self.cmap

    def set_cmap(self, cmap):
        self.cmap = get_cmap(cmap)

    def set_clim(self, vmin=None, vmax=None):
        self.norm.vmin, self.norm.vmax = vmin, vmax

    def get_clim(self):
        return self.norm.vmin, self.norm.vmax

    def to_rgba(self, x, alpha=None, bytes=False):
        return self.cmap(self.norm(x), alpha, bytes)


def __getattr__(name):
    try:
        return get_cmap(name)
    except ValueError:
        raise AttributeError(f"module 'matplotlib.cm' has no attribute '{name}'") from None
