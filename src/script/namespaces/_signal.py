# _signal -- the part of the array core (_array) for signals: windows, frames of a signal and what they add up to, convolutions. Methods of
# Core, which has w (the natives) and floats of its library.


class Signal:
    # ---- windows

    def window(self, count, of, dtype=None):
        # of(k): the window at the places k = 0 .. count - 1; one point is 1
        w = self.w
        dtype = w.float64 if dtype is None else dtype
        return w.full((max(count, 0),), 1, dtype) if count < 2 else of(w.arange(0, count, 1, dtype))

    def cosines(self, t, *c):
        # c0 - c1 cos t + c2 cos 2t
        y = c[0] - c[1] * self.w.cos(t)
        return y if len(c) < 3 else y + c[2] * self.w.cos(2 * t)

    # ---- frames: size numbers of the last axis at every step

    def frame_places(self, x, count, size, step):
        # one after the other, where x is
        w = self.w
        at = w.reshape(w.expand_dims(w.arange(0, count) * step, 1) + w.expand_dims(w.arange(0, size), 0), (-1,))
        return w.to_device(at, w.device_at(x))

    def frames(self, x, size, step):
        # [.., n] -> [.., count, size]: those that fit
        count = max((x.shape[-1] - size) // step + 1, 0)
        y = self.w.take(x, self.frame_places(x, count, size, step), -1)
        return self.w.reshape(y, tuple(x.shape)[:-1] + (count, size))

    def overlapped(self, frames, step):
        # [.., count, size] -> [.., n]: the sum of the frames, each at its place
        w = self.w
        count, size = frames.shape[-2], frames.shape[-1]
        at = self.frame_places(frames, count, size, step)
        rows = w.move_axis(w.reshape(frames, tuple(frames.shape)[:-2] + (count * size,)), -1, 0)
        total = (max(count - 1, 0) * step + size,) + tuple(rows.shape)[1:]
        return w.move_axis(w.index_add(w.full(total, 0, frames.dtype), at, rows), 0, -1)

    # ---- convolutions of vectors

    def slid(self, a, v, mode):
        # sum_j a[i + j] v[j], for v that is not longer than a
        k = v.shape[0]
        sides = {"full": (k - 1, k - 1), "same": (k // 2, k - 1 - k // 2), "valid": (0, 0)}
        if mode not in sides:
            raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
        before, after = sides[mode]
        rows = self.frames(self.w.pad(a, [before], [after]), k, 1)
        if rows.dtype.kind == v.dtype.kind == "b":      # sums of products are "any" of "all"
            return self.w.any(self.w.logical_and(rows, v), -1)
        return self.w.matmul(rows, v)

    def convolve(self, a, v, mode):
        a, v = (v, a) if a.shape[0] < v.shape[0] else (a, v)
        return self.slid(a, self.w.flip(v, 0), mode)

    def correlate(self, a, v, mode):
        v = self.w.conj(v)
        return self.w.flip(self.slid(v, a, mode), 0) if a.shape[0] < v.shape[0] else self.slid(a, v, mode)
