# torch.amp -- autocast: operations that gain from a lower precision have it (engine/autocast.c has the lists), and the
# scaling of losses.
import functools
import warnings

import _torch as _w
import torch

_told = []


def _once(text):
    if text not in _told:
        _told.append(text)
        warnings.warn(text)


_DEVICES = ("cpu", "cuda")
_state = {"cpu": [False, torch.bfloat16], "cuda": [False, torch.float16]}      # is it on, dtype
_cache = [True]
_mode = [None]      # what is cast to what, or None; programs are made for it


def _set(device, on, dtype):
    _state[device] = [on, dtype]
    _w.autocast(device == "cuda", on, dtype)
    on = [(d, s[1].name) for d, s in _state.items() if s[0]]
    _mode[0] = str(on) if on else None
    _w.Dispatch.pause(bool(on))     # programs that were made for another mode


def _device(device_type):
    if device_type not in _state:
        raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
    return device_type


def is_autocast_available(device_type):
    return device_type == "cpu" or device_type == "cuda" and torch.cuda.is_available()


def is_autocast_enabled(device_type="cuda"):
    return _state[_device(device_type)][0]


def get_autocast_dtype(device_type):
    return _state[_device(device_type)][1]


def set_autocast_enabled(device_type, enabled=None):
    if enabled is None:
        device_type, enabled = "cuda", device_type
    _set(_device(device_type), enabled, _state[device_type][1])


def set_autocast_dtype(device_type, dtype):
    _set(_device(device_type), _state[device_type][0], dtype)


def is_autocast_cpu_enabled():
    return is_autocast_enabled("cpu")


def get_autocast_cpu_dtype():
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype():
    return get_autocast_dtype("cuda")


def set_autocast_cpu_enabled(enabled):
    set_autocast_enabled("cpu", enabled)


def set_autocast_cpu_dtype(dtype):
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype):
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled():
    return _cache[0]


def set_autocast_cache_enabled(enabled):
    # Casts of weights are made anew: no result depends on this.
    _cache[0] = enabled


def clear_autocast_cache():
    pass


class autocast:
    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in _DEVICES:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if device_type == "cuda" and enabled and not torch.cuda.is_available():
            _once("User provided device_type of 'cuda', but CUDA is not available. Disabling")
            enabled = False
        dtype = dtype if dtype is not None else get_autocast_dtype(device_type)
        if device_type == "cpu" and enabled and dtype not in (torch.bfloat16, torch.float16):
            warnings.warn("In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only "
                          "supports dtype of torch.bfloat16, torch.float16 currently.")
            enabled = False
        self.device, self.fast_dtype, self._enabled = device_type, dtype, bool(enabled)
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self.before = []

    def __enter__(self):
        self.before.append((_state[self.device], _cache[0]))
        _cache[0] = self._cache_enabled
        _set(self.device, self._enabled, self.fast_dtype)
        return self

    def __exit__(self, kind, value, trace):
        state, _cache[0] = self.before.pop()
        _set(self.device, *state)
        return False

    def __call__(self, fn):
        @functools.wraps(fn)
        def decorate_autocast(*args, **kwargs):
            with self:
                return fn(*args, **kwargs)
        return decorate_autocast


def _cast(value, device_type, dtype):
    if isinstance(value, _w.Tensor):
        return value.to(dtype) if value.is_floating_point() and value.device.type == device_type and \
            value.dtype != torch.float64 else value
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, dict):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(v, device_type, dtype) for v in value])
    return value


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    # forward of an autograd.Function: backward has the mode that forward had.
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args, **kwargs):
        args[0]._dtype = get_autocast_dtype(device_type)
        if cast_inputs is None:
            args[0]._fwd_used_autocast = is_autocast_enabled(device_type)
            return fwd(*args, **kwargs)
        on = is_autocast_enabled(device_type)
        args[0]._fwd_used_autocast = False
        if not on:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd=None, *, device_type):
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd


READY, UNSCALED, STEPPED = 0, 1, 2


class GradScaler:
    # Losses times a factor, which is halved when gradients overflow and doubled when they have not for long.
    def __init__(self, device="cuda", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                 enabled=True):
        if enabled and device == "cuda" and not torch.cuda.is_available():
            _once("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            enabled = False
        self._device, self._enabled = device, enabled
        if enabled:
            assert growth_factor > 1.0, "The growth factor must be > 1.0."
            assert backoff_factor < 1.0, "The backoff factor must be < 1.0."
            self._init_scale, self._init_growth_tracker = init_scale, 0
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval = growth_interval
            self._scale, self._tracker = None, 0
            self._forget()

    def _forget(self):
        self._per_optimizer = {}        # id: [the optimizer, its stage, whether a gradient is not finite]

    def _of(self, optimizer):
        return self._per_optimizer.setdefault(id(optimizer), [optimizer, READY, None])

    def _check(self, funcname):
        assert self._scale is not None, \
            f"Attempted {funcname} but _scale is None.  This may indicate your script did not use " \
            "scaler.scale(loss or outputs) earlier in the iteration."

    def scale(self, outputs):
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=self._device)
            self._tracker = self._init_growth_tracker
        if isinstance(outputs, _w.Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(x) for x in outputs])
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        if not self._enabled:
            return
        self._check("unscale_")
        mine = self._of(optimizer)
        if mine[1] == UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if mine[1] == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float()
        with torch.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if p.grad.dtype == torch.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    mine[2] = bool(mine[2]) or not bool(torch.isfinite(p.grad).all())
                    p.grad.mul_(inverse)
        mine[1] = UNSCALED

    def step(self, optimizer, *args, **kwargs):
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check("step")
        mine = self._of(optimizer)
        if mine[1] == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if mine[1] == READY:
            self.unscale_(optimizer)
        assert mine[2] is not None, "No inf checks were recorded for this optimizer."
        result = None if mine[2] else optimizer.step(*args, **kwargs)
        mine[1] = STEPPED
        return result

    def update(self, new_scale=None):
        if not self._enabled:
            return
        self._check("update")
        if new_scale is not None:
            self._scale.fill_(new_scale)
        else:
            found = [o[2] for o in self._per_optimizer.values() if o[2] is not None]
            assert found, "No inf checks were recorded prior to update."
            if any(found):
                self._scale.mul_(self._backoff_factor)
                self._tracker = 0
            else:
                self._tracker += 1
                if self._tracker == self._growth_interval:
                    grown = self._scale * self._growth_factor
                    if bool(torch.isfinite(grown)):
                        self._scale.copy_(grown)
                    self._tracker = 0
        self._forget()

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return 1.0 if not self._enabled else self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        return self._init_growth_tracker if self._scale is None else self._tracker

    def state_dict(self):
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
                "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict):
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled "
                               "instance of GradScaler.")
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = self._tracker = state_dict["_growth_tracker"]
