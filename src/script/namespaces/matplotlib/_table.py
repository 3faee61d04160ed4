# matplotlib._table -- a table of texts in axes.
from matplotlib import _font
from matplotlib.artists import Artist, plain
from matplotlib.colors import to_rgba

_PLACES = {"center": (0.5, 0.5), "top": (0.5, 1.0), "bottom": (0.5, 0.0), "upper center": (0.5, 1.0), "lower center": (0.5, 0.0), "left": (0.0, 0.5), "right": (1.0, 0.5),
           "upper left": (0.0, 1.0), "upper right": (1.0, 1.0), "lower left": (0.0, 0.0), "lower right": (1.0, 0.0), "best": (1.0, 1.0)}


class Table(Artist):
    zorder = 3

    def __init__(self, text, colours, align, widths, row_labels, row_colours, column_labels, column_colours, loc, bbox, size):
        if text is None and colours is None:
            raise ValueError("At least one argument from \"cellColours\" or \"cellText\" must be provided to create a table.")
        if loc not in _PLACES:
            raise ValueError(f"{loc!r} is not a valid value for loc")
        text = text if text is not None else [[""] * len(r) for r in colours]
        rows = [[(str(t), align, colours[i][j] if colours is not None else "w") for j, t in enumerate(r)] for i, r in enumerate(text)]
        if column_labels is not None:
            rows.insert(0, [(str(t), "center", column_colours[j] if column_colours is not None else "w") for j, t in enumerate(column_labels)])
        self.rows, self.widths, self.loc, self.bbox, self.size, self.scales = rows, widths, loc, bbox, size, (1.0, 1.0)
        names = [] if row_labels is None else [""] * (column_labels is not None) + [str(t) for t in row_labels]
        self.names = [(t, row_colours[i - (column_labels is not None)] if row_colours is not None and t else "w") for i, t in enumerate(names)]

    def auto_set_font_size(self, value=True):
        self.size = 10 if value else self.size

    def set_fontsize(self, size):
        self.size = size

    def scale(self, xscale, yscale):
        self.scales = (self.scales[0] * xscale, self.scales[1] * yscale)

    def draw(self, canvas, at, clip):
        x0, y0, x1, y1 = clip
        n = max([len(r) for r in self.rows])
        wide = [w * (x1 - x0) * self.scales[0] for w in (self.widths if self.widths is not None else [1.0 / n] * n)]
        high, first = self.size * 1.2 * self.scales[1], max([_font.width(t, self.size) for t, _ in self.names] + [0]) + 8 if self.names else 0
        if self.bbox is not None:
            left, top = x0 + self.bbox[0] * (x1 - x0), y1 - (self.bbox[1] + self.bbox[3]) * (y1 - y0)
            wide, high = [w * self.bbox[2] * (x1 - x0) / sum(wide) for w in wide], self.bbox[3] * (y1 - y0) / len(self.rows)
        else:
            px, py = _PLACES[self.loc]
            left = x0 + px * (x1 - x0 - sum(wide))
            down = high * len(self.rows)
            top = y1 if self.loc == "bottom" else y0 - down if self.loc == "top" else y0 + (1 - py) * (y1 - y0 - down)
        for i, row in enumerate(self.rows):
            y = top + i * high
            if self.names and self.names[i][0]:
                self._cell(canvas, left - first, y, first, high, self.names[i][0], "left", self.names[i][1])
            x = left
            for w, (text, align, color) in zip(wide, row):
                self._cell(canvas, x, y, w, high, text, align, color)
                x += w

    def _cell(self, canvas, x, y, w, h, text, align, color):
        p = [x, y, x + w, y, x + w, y + h, x, y + h]
        canvas.polygon(p, to_rgba(color))
        canvas.line(p + p[:2], (0.0, 0.0, 0.0, 1.0), 1.0)
        canvas.text({"left": x + 4, "center": x + w / 2, "right": x + w - 4}[align], y + h / 2, plain(text), self.size, (0.0, 0.0, 0.0, 1.0), align, "center")
