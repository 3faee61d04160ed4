# mpl_toolkits.axes_grid1 -- room for a bar taken from axes.
class _Divider:
    def __init__(self, ax):
        self.ax = ax

    def append_axes(self, position, size, pad=None, **kwargs):
        if position not in ("right", "bottom"):
            raise NotImplementedError(f"append_axes: {position!r}; 'right' and 'bottom' are here")
        across = self.ax.figure.size[0 if position == "right" else 1] * self.ax.rect[2 if position == "right" else 3]
        part = float(size[:-1]) / 100 if isinstance(size, str) else size / across
        gap = 0.05 / across if pad is None else float(pad[:-1]) / 100 if isinstance(pad, str) else pad / across
        return self.ax.figure._bar_axes(self.ax, position, part / (1 + part + gap), gap / (1 + part + gap), 1.0, None, kwargs)


def make_axes_locatable(axes):
    return _Divider(axes)
