# jax._config -- jax.config: what can be switched is the width of numbers.
import _jax as _w


class Config:
    def __init__(self):
        self.values = {"jax_enable_x64": False, "jax_platform_name": "cpu", "jax_platforms": "cpu",
                       "jax_debug_nans": False, "jax_disable_jit": False, "jax_num_cpu_devices": -1, "jax_default_matmul_precision": None,
                       "jax_numpy_rank_promotion": "allow", "jax_numpy_dtype_promotion": "standard"}

    def update(self, name, value):
        if name not in self.values and not name.startswith("jax_"):
            raise AttributeError(f"Unrecognized config option: {name}")
        if name == "jax_num_cpu_devices":
            from jax._sharding import are_started
            if are_started() and value != self.values[name]:
                raise RuntimeError(f"jax_num_cpu_devices config should be updated before backends are initialized i.e. "
                                   "before any JAX operation is executed. You should initialize this config immediately "
                                   "after `import jax`.")
        self.values[name] = value
        if name == "jax_disable_jit":
            _w.Dispatch.pause(bool(value))
        if name == "jax_enable_x64":
            _w.set_narrow(not value)

    def read(self, name):
        return self.values[name]

    def __getattr__(self, name):
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        if name == "x64_enabled":
            return values["jax_enable_x64"]
        raise AttributeError(f"Unrecognized config option: {name}")


config = Config()


class enable_x64:
    def __init__(self, new_val=True):
        self.new_val = new_val

    def __enter__(self):
        self.old = config.values["jax_enable_x64"]
        config.update("jax_enable_x64", self.new_val)

    def __exit__(self, *exc):
        config.update("jax_enable_x64", self.old)
        return False
