# _fft -- Fourier transforms: what the fft modules of the libraries share.
FFT, IFFT, RFFT, IRFFT = 0, 1, 2, 3
_norms = {None: 0, "backward": 0, "ortho": 1, "forward": 2}
_swapped = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


class Fourier:
    # w: the natives of a library; array: what makes an array of an argument.
    def __init__(self, w, array):
        self.w, self.array = w, array

    def bad_norm(self, norm):
        return ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')

    def norm(self, norm):
        if norm not in _norms:
            raise self.bad_norm(norm)
        return _norms[norm]

    def along(self, x, kind, n, axis, norm):
        # One axis, of n elements.
        x = self.array(x)
        return self.w.fft(x, kind, (axis,), None if n is None else (n,), self.norm(norm))

    def over(self, x, kind, s, axes, norm):
        # Several: the last ones as s says, or all of them.
        x = self.array(x)
        if axes is None:
            axes = range(-len(s), 0) if s is not None else range(len(x.shape))
        axes = tuple(axes)
        if len(axes) == 0:
            return x
        if s is not None:
            sizes = tuple(x.shape)
            s = [self.size(sizes, a, n, kind == IRFFT and k + 1 == len(axes)) for k, (a, n) in enumerate(zip(axes, s))]
        return self.w.fft(x, kind, axes, s, self.norm(norm))

    def size(self, sizes, axis, n, halved):
        # -1 and None: as it is
        if n is not None and n != -1:
            return n
        return 2 * (sizes[axis] - 1) if halved else sizes[axis]

    def hermitian(self, x, n, axis, norm):
        # Of a signal whose transform is real: the first half is given.
        if norm not in _swapped:
            raise self.bad_norm(norm)
        return self.along(self.w.conj(self.array(x)), IRFFT, n, axis, _swapped[norm])

    def hermitian_back(self, x, n, axis, norm):
        if norm not in _swapped:
            raise self.bad_norm(norm)
        return self.w.conj(self.along(x, RFFT, n, axis, _swapped[norm]))

    def shift(self, x, axes, back):
        x = self.array(x)
        if axes is None:
            axes = range(len(x.shape))
        elif isinstance(axes, int):
            axes = (axes,)
        for a in axes:
            n = x.shape[a]
            x = self.w.roll(x, -(n // 2) if back else n // 2, a)
        return x


def frequencies(n, half):
    # Whole numbers of turns: 0, 1 .. and then the negative ones.
    if half:
        return list(range(n // 2 + 1))
    return list(range((n - 1) // 2 + 1)) + list(range(-(n // 2), 0))
