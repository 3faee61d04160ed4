# _joined -- mgrid, ogrid, r_ and c_ of NumPy and of jax.numpy, by the functions of `lib`: arange, linspace, asarray, result_type,
# meshgrid, stack, concatenate, reshape, permute.


class Grid:
    # A slice is a range; with a step of 5j it is five points, the last one among them.
    def __init__(self, lib, sparse):
        self.lib, self.sparse = lib, sparse

    def axis(self, s):
        start = 0 if s.start is None else s.start
        if isinstance(s.step, complex):
            return self.lib.linspace(start, s.stop, int(abs(s.step)))
        return self.lib.arange(start, s.stop, 1 if s.step is None else s.step)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self.axis(key)
        if not key:
            return [] if self.sparse else self.lib.asarray([])
        axes = [self.axis(s) for s in key]
        d = self.lib.result_type(*axes)
        grids = self.lib.meshgrid(*[a.astype(d) for a in axes], indexing="ij", sparse=self.sparse)
        return grids if self.sparse else self.lib.stack(grids, 0)


class Joined:
    # r_ joins along the first axis, c_ along the last. A text before the others says (axis, least rank, where an array of a
    # lower rank gets its axes).
    def __init__(self, lib, axis, least, place):
        self.lib, self.how = lib, (axis, least, place)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        axis, least, place = self.how
        if isinstance(key[0], str):
            if key[0] in ("r", "c"):
                raise NotImplementedError("r_ and c_: matrices")
            said = [int(v) for v in key[0].split(",")]
            axis, least, place = said[0], said[1] if len(said) > 1 else least, said[2] if len(said) > 2 else place
            key = key[1:]
        return self.lib.concatenate([self._part(k, least, place) for k in key], axis)

    def _part(self, k, least, place):
        grid = isinstance(k, slice)
        x = Grid(self.lib, False)[k] if grid else self.lib.asarray(k)
        rank = x.ndim
        if rank >= least:
            return x
        x = self.lib.reshape(x, (1,) * (least - rank) + tuple(x.shape))
        if place == -1 or rank == 0:
            return x
        axes = list(range(least))
        if grid:
            axes[-1], axes[place] = axes[place], axes[-1]
            return self.lib.permute(x, axes)
        new = least - rank
        at = place + new + 1 if place < 0 else place
        return self.lib.permute(x, axes[:at] + axes[new:] + axes[at:new])


class IndexExpression:
    # np.s_[1:3, 0] is the key itself; index_exp gives a tuple always
    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and not isinstance(item, tuple) else item


IndexExpression.__module__ = "numpy.lib._index_tricks_impl"
s_, index_exp = IndexExpression(False), IndexExpression(True)
