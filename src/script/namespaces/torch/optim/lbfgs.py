# torch.optim.lbfgs -- limited-memory BFGS: a closure is called several times in one step.
import _torch as _w
from torch._grad import enable_grad
from torch.optim.optimizer import Optimizer


class LBFGS(Optimizer):
    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):
        super().__init__(params, {"lr": lr, "max_iter": max_iter,
                                  "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                                  "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
                                  "history_size": history_size, "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gradient(self):
        return _w.concat([_w.full((p.numel(),), 0, p.dtype) if p.grad is None else _w.reshape(p.grad, (-1,))
                          for p in self._params], 0)

    def _move(self, t, d):
        at = 0
        for p in self._params:
            n = p.numel()
            p.add_(_w.reshape(d[at:at + n], p.shape) * t)
            at += n

    def _at(self, closure, start, t, d):
        # The loss and the gradient at start + t d.
        self._move(t, d)
        loss, g = float(closure()), self._gradient()
        for p, x in zip(self._params, start):
            p.copy_(x)
        return loss, g

    def step(self, closure):
        group = self.param_groups[0]
        was = _w.recording(False)
        try:
            return self._steps(_enabled(closure), group, self.state[self._params[0]])
        finally:
            _w.recording(was)

    def _steps(self, closure, group, state):
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss = float(first)
        evals = 1
        state["func_evals"] += 1
        g = self._gradient()
        if float(_w.max(_w.abs(g))) <= group["tolerance_grad"]:
            return first
        d, t = state.get("d"), state.get("t")
        dirs, steps, ro = state.get("old_dirs"), state.get("old_stps"), state.get("ro")
        scale, before, loss_before = state.get("H_diag"), state.get("prev_flat_grad"), state.get("prev_loss")
        n = 0
        while n < group["max_iter"]:
            n += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, dirs, steps, ro, scale = _w.neg(g), [], [], [], 1
            else:
                y, s = g - before, d * t
                ys = float(_w.matmul(y, s))
                if ys > 1e-10:
                    if len(dirs) == group["history_size"]:
                        dirs.pop(0)
                        steps.pop(0)
                        ro.pop(0)
                    dirs.append(y)
                    steps.append(s)
                    ro.append(1.0 / ys)
                    scale = ys / float(_w.matmul(y, y))
                q = _w.neg(g)
                al = [0.0] * len(dirs)
                for i in range(len(dirs) - 1, -1, -1):
                    al[i] = float(_w.matmul(steps[i], q)) * ro[i]
                    q = q - dirs[i] * al[i]
                d = q * scale
                for i in range(len(dirs)):
                    d = d + steps[i] * (al[i] - float(_w.matmul(dirs[i], d)) * ro[i])
            before, loss_before = g, loss
            t = min(1.0, 1.0 / float(_w.sum(_w.abs(g)))) * group["lr"] if state["n_iter"] == 1 else group["lr"]
            slope = float(_w.matmul(g, d))
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [_w.copy(_w.detach(p)) for p in self._params]
                loss, g, t, used = _strong_wolfe(lambda a: self._at(closure, start, a, d), t, d, loss, g, slope)
                self._move(t, d)
            else:
                self._move(t, d)
                used = 0
                if n != group["max_iter"]:
                    loss, g = float(closure()), self._gradient()
                    used = 1
            evals += used
            state["func_evals"] += used
            if (n == group["max_iter"] or evals >= group["max_eval"]
                    or float(_w.max(_w.abs(g))) <= group["tolerance_grad"]
                    or float(_w.max(_w.abs(d * t))) <= group["tolerance_change"]
                    or abs(loss - loss_before) < group["tolerance_change"]):
                break
        state.update({"d": d, "t": t, "old_dirs": dirs, "old_stps": steps, "ro": ro, "H_diag": scale,
                      "prev_flat_grad": before, "prev_loss": loss_before})
        return first


def _enabled(closure):
    def call():
        with enable_grad():
            return closure()
    return call


def _cubic(x1, f1, g1, x2, f2, g2, bounds=None):
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square ** 0.5
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


def _strong_wolfe(fn, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance=1e-9, most=25):
    # A step that makes the loss fall enough, and its slope flat enough.
    size = float(_w.max(_w.abs(d)))
    f_new, g_new = fn(t)
    used = 1
    gtd_new = float(_w.matmul(g_new, d))
    t_prev, f_prev, g_prev, gtd_prev = 0, f, g, gtd
    done, n = False, 0
    while n < most:
        if f_new > f + c1 * t * gtd or (n > 1 and f_new >= f_prev):
            bracket, bf, bg, bd = [t_prev, t], [f_prev, f_new], [g_prev, g_new], [gtd_prev, gtd_new]
            break
        if abs(gtd_new) <= -c2 * gtd:
            bracket, bf, bg, bd = [t], [f_new], [g_new], [gtd_new]
            done = True
            break
        if gtd_new >= 0:
            bracket, bf, bg, bd = [t_prev, t], [f_prev, f_new], [g_prev, g_new], [gtd_prev, gtd_new]
            break
        low, high, last = t + 0.01 * (t - t_prev), t * 10, t
        t = _cubic(t_prev, f_prev, gtd_prev, t, f_new, gtd_new, (low, high))
        t_prev, f_prev, g_prev, gtd_prev = last, f_new, g_new, gtd_new
        f_new, g_new = fn(t)
        used += 1
        gtd_new = float(_w.matmul(g_new, d))
        n += 1
    if n == most:
        bracket, bf, bg, bd = [0, t], [f, f_new], [g, g_new], [gtd, gtd_new]
    stuck = False
    lo, hi = (0, 1) if bf[0] <= bf[-1] else (1, 0)
    while not done and n < most:
        if abs(bracket[1] - bracket[0]) * size < tolerance:
            break
        t = _cubic(bracket[0], bf[0], bd[0], bracket[1], bf[1], bd[1])
        eps = 0.1 * (max(bracket) - min(bracket))
        if min(max(bracket) - t, t - min(bracket)) < eps:
            if stuck or t >= max(bracket) or t <= min(bracket):
                near_high = abs(t - max(bracket)) < abs(t - min(bracket))
                t = max(bracket) - eps if near_high else min(bracket) + eps
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        f_new, g_new = fn(t)
        used += 1
        gtd_new = float(_w.matmul(g_new, d))
        n += 1
        if f_new > f + c1 * t * gtd or f_new >= bf[lo]:
            bracket[hi], bf[hi], bg[hi], bd[hi] = t, f_new, g_new, gtd_new
            lo, hi = (0, 1) if bf[0] <= bf[1] else (1, 0)
        else:
            if abs(gtd_new) <= -c2 * gtd:
                done = True
            elif gtd_new * (bracket[hi] - bracket[lo]) >= 0:
                bracket[hi], bf[hi], bg[hi], bd[hi] = bracket[lo], bf[lo], bg[lo], bd[lo]
            bracket[lo], bf[lo], bg[lo], bd[lo] = t, f_new, g_new, gtd_new
    k = lo if len(bracket) > 1 else 0
    return bf[k], bg[k], bracket[k], used
