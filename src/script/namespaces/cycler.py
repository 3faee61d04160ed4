# cycler -- values that artists take one after the other.
class Cycler:
    def __init__(self, rows):
        self._rows = rows

    @property
    def keys(self):
        return set(self._rows[0]) if self._rows else set()

    def by_key(self):
        return {k: [r[k] for r in self._rows] for k in (self._rows[0] if self._rows else {})}

    def __iter__(self):
        return iter([dict(r) for r in self._rows])

    def __call__(self):
        import itertools
        return itertools.cycle(list(self))

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, key):
        return Cycler(self._rows[key])

    def __add__(self, other):
        if len(self) != len(other):
            raise ValueError(f"Can only add equal length cycles, not {len(self)} and {len(other)}")
        return Cycler([{**a, **b} for a, b in zip(self._rows, other._rows)])

    def __mul__(self, other):
        if isinstance(other, int):
            return Cycler(self._rows * other)
        return Cycler([{**a, **b} for a in self._rows for b in other._rows])

    def __eq__(self, other):
        return isinstance(other, Cycler) and self._rows == other._rows

    def __repr__(self):
        return " + ".join([f"cycler({k!r}, {v!r})" for k, v in self.by_key().items()])


def cycler(*args, **kwargs):
    if len(args) == 1 and isinstance(args[0], Cycler):
        return Cycler(list(args[0]))
    if args:
        kwargs = {args[0]: args[1]}
    made = [Cycler([{k: v} for v in values]) for k, values in kwargs.items()]
    if not made:
        raise TypeError("cycler() takes at least one argument")
    for c in made[1:]:
        made[0] = made[0] + c
    return made[0]
