# jax._config -- jax.config, and its options that are contexts and decorators, too.
import functools
import os
import warnings
from contextlib import ContextDecorator
import _jax as _w

# What is done here.
_done = {"jax_enable_x64": False, "jax_disable_jit": False, "jax_num_cpu_devices": -1, "jax_default_matmul_precision": None,
         "jax_debug_nans": False, "jax_debug_infs": False, "jax_platform_name": "cpu", "jax_platforms": "cpu",
         "jax_default_device": None, "jax_default_prng_impl": "threefry2x32"}

# What JAX refuses under such an option, and this does not: a program that JAX runs under it computes the same without.
_checks = {"jax_numpy_rank_promotion": "allow", "jax_numpy_dtype_promotion": "standard", "jax_check_tracer_leaks": False,
           "jax_debug_key_reuse": False, "jax_enable_checks": False, "jax_legacy_prng_key": "allow", "jax_transfer_guard": None,
           "jax_transfer_guard_host_to_device": None, "jax_transfer_guard_device_to_device": None,
           "jax_transfer_guard_device_to_host": None, "jax_no_tracing": False, "jax_no_execution": False,
           "jax_thread_guard": False, "jax_array_garbage_collection_guard": None, "jax_check_static_indices": False,
           "jax_mutable_array_checks": True}

# What only changes how JAX works inside, or what it writes down: its compiler, caches, logs, tracebacks.
_inside = {"jax_log_compiles": False, "jax_explain_cache_misses": False, "jax_compilation_cache_dir": None,
           "jax_enable_compilation_cache": True, "jax_persistent_cache_min_compile_time_secs": 1.0,
           "jax_persistent_cache_min_entry_size_bytes": 0, "jax_persistent_cache_enable_xla_caches": "",
           "jax_raise_persistent_cache_errors": False, "jax_compilation_cache_max_size": -1, "jax_logging_level": "NOTSET",
           "jax_traceback_filtering": "auto", "jax_tracer_error_num_traceback_frames": 5, "jax_pprint_use_color": True,
           "jax_softmax_custom_jvp": False, "jax_use_direct_linearize": True, "jax_use_shardy_partitioner": True,
           "jax_disable_most_optimizations": False, "jax_optimization_level": "UNKNOWN", "jax_exec_time_optimization_effort": 0.0,
           "jax_memory_fitting_effort": 0.0, "jax_memory_fitting_level": "O2", "jax_enable_custom_prng": False,
           "jax_dump_ir_to": "", "jax_dump_ir_modes": "stablehlo", "jax_include_full_tracebacks_in_locations": True,
           "jax_remove_size_one_mesh_axis_from_type": False, "jax_log_checkpoint_residuals": False,
           "jax_cpu_enable_async_dispatch": True, "jax_cpu_collectives_implementation": "gloo", "jax_debug_log_modules": "",
           "jax_use_simplified_jaxpr_constants": False, "jax_allow_f16_reductions": True, "jax_xla_backend": "",
           "jax_backend_target": "", "jax_cuda_visible_devices": "all", "jax_distributed_debug": False}

# What has one value here.
_fixed = {"jax_threefry_partitionable": True}

_choices = {"jax_numpy_rank_promotion": ("allow", "warn", "raise"), "jax_numpy_dtype_promotion": ("standard", "strict"),
            "jax_legacy_prng_key": ("allow", "warn", "error"),
            "jax_default_prng_impl": ("threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32")}


class Config:
    def __init__(self):
        self.values = {**_done, **_checks, **_inside, **_fixed}
        self.said = set()

    def update(self, name, value):
        if name not in self.values:
            raise AttributeError(f"Unrecognized config option: {name}")
        if name in _choices and value not in _choices[name]:
            raise ValueError(f"new enum value must be in {list(_choices[name])}, got {value} of type {type(value)}.")
        if name in _fixed and value != _fixed[name]:
            raise NotImplementedError(f"{name} is always {_fixed[name]!r} here")
        if name in _checks and value != _checks[name] and name not in self.said:
            self.said.add(name)
            warnings.warn(f"{name} has no effect here: what JAX would refuse is computed", stacklevel=2)
        if name == "jax_num_cpu_devices":
            from jax._sharding import are_started
            if are_started() and value != self.values[name]:
                raise RuntimeError(f"jax_num_cpu_devices config should be updated before backends are initialized i.e. "
                                   "before any JAX operation is executed. You should initialize this config immediately "
                                   "after `import jax`.")
        if name == "jax_default_device":
            from jax._gpu import put_default
            put_default(value)
        if name == "jax_default_matmul_precision":
            from jax._precision import name_of
            _w.precision(name_of(value))
        self.values[name] = value
        if name in ("jax_debug_nans", "jax_debug_infs"):
            _w.set_watch(bool(self.jax_debug_nans), bool(self.jax_debug_infs))
        if name in ("jax_disable_jit", "jax_debug_nans", "jax_debug_infs"):
            _w.Dispatch.pause(bool(self.jax_disable_jit or self.jax_debug_nans or self.jax_debug_infs))
        if name == "jax_enable_x64":
            _w.set_narrow(not value)

    def read(self, name):
        if name not in self.values:
            raise AttributeError(f"Unrecognized config option: {name}")
        return self.values[name]

    def parse_flags_with_absl(self):
        pass  # no options of a command line are JAX's here

    config_with_absl = parse_flags_with_absl

    def __getattr__(self, name):
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        if name == "x64_enabled":
            return values["jax_enable_x64"]
        raise AttributeError(f"Unrecognized config option: {name}")


config = Config()
if os.environ.get("JAX_DEFAULT_MATMUL_PRECISION"):
    config.update("jax_default_matmul_precision", os.environ["JAX_DEFAULT_MATMUL_PRECISION"])


class _Setting(ContextDecorator):
    # An option that has another value in a `with`, or while a function runs.
    def __init__(self, name, value):
        self.name, self.value = name, value
        self.old = []

    def __enter__(self):
        self.old.append(config.values[self.name])
        config.update(self.name, self.value)

    def __exit__(self, *exc):
        config.update(self.name, self.old.pop())
        return False


class _Option:
    def __init__(self, name, *always):
        self._name, self._always = name, always

    @property
    def value(self):
        return config.values[self._name]

    def __call__(self, *value):
        return _Setting(self._name, *(value or self._always))


enable_x64 = _Option("jax_enable_x64", True)
debug_nans, debug_infs = _Option("jax_debug_nans", True), _Option("jax_debug_infs", True)
disable_jit = _Option("jax_disable_jit", True)
numpy_rank_promotion, numpy_dtype_promotion = _Option("jax_numpy_rank_promotion"), _Option("jax_numpy_dtype_promotion")
enable_checks, debug_key_reuse = _Option("jax_enable_checks", True), _Option("jax_debug_key_reuse", True)
check_tracer_leaks = _Option("jax_check_tracer_leaks", True)
checking_leaks = functools.partial(check_tracer_leaks, True)
enable_custom_prng, legacy_prng_key = _Option("jax_enable_custom_prng", True), _Option("jax_legacy_prng_key")
default_prng_impl, threefry_partitionable = _Option("jax_default_prng_impl"), _Option("jax_threefry_partitionable", True)
log_compiles, explain_cache_misses = _Option("jax_log_compiles", True), _Option("jax_explain_cache_misses", True)
softmax_custom_jvp = _Option("jax_softmax_custom_jvp", True)
no_tracing, no_execution, thread_guard = _Option("jax_no_tracing", True), _Option("jax_no_execution", True), _Option("jax_thread_guard", True)
transfer_guard = _Option("jax_transfer_guard")
transfer_guard_host_to_device = _Option("jax_transfer_guard_host_to_device")
transfer_guard_device_to_device = _Option("jax_transfer_guard_device_to_device")
transfer_guard_device_to_host = _Option("jax_transfer_guard_device_to_host")
