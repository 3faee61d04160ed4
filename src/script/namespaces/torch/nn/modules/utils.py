# torch.nn.modules.utils -- one number for several axes.
def _ntuple(n, name="parse"):
    def parse(x):
        return tuple(x) if hasattr(x, "__iter__") else (x,) * n
    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = _ntuple(1, "_single"), _ntuple(2, "_pair"), _ntuple(3, "_triple"), _ntuple(4, "_quadruple")
