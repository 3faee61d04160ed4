# torch.jit -- functions and modules as programs.
#
#   _script   functions: source, specialised at each signature, with its control flow (_stage)
#   _module   script: of modules, classes, containers
#   _failure  what an error inside a script looks like outside
#   _trace    trace: what ran on an example, for all sizes
#   _check    what a scripted function may contain
#   _graph    .graph and .code as text
#   _file     save and load
#   _unit     functions from their text
#   _archive  load of the real TorchScript's archives; _aten their operators
#   frontend  syntax trees
import os

from torch.jit._check import UnsupportedNodeError, NotSupportedError
from torch.jit._script import Error, ScriptFunction
from torch.jit._module import (ScriptModule, RecursiveScriptModule, script, script_method,
                               script_if_tracing, _script_if_tracing, _overload, _overload_method, export, ignore, unused, annotate, is_scripting, isinstance_,
                               Attribute, interface, _drop, _unique_state_dict, _unwrap_optional, freeze, optimize_for_inference, Future, fork, wait)
from torch.jit._trace import (trace, trace_module, is_tracing, TracedModule, TopLevelTracedModule, TracerWarning,
                              TracingCheckError, ONNXTracedModule)
from torch.jit._unit import CompilationUnit
from torch.jit import frontend
from typing import Final, Any, List, Dict, Optional, Tuple, Union

isinstance = isinstance_
_fork, _wait = fork, wait


def save(m, f, _extra_files=None):
    from torch.jit._file import save as s
    s(m, f, _extra_files)


def load(f, map_location=None, _extra_files=None):
    # A file of Weft's own, or a TorchScript archive.
    from torch.jit import _archive, _file
    if isinstance(f, (str, os.PathLike)) and not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    if hasattr(f, "read"):
        return _file.through_file(lambda path: load(path, map_location, _extra_files), f.read())
    return (_archive if _archive.is_archive(f) else _file).load(f, map_location, _extra_files)


def last_executed_optimized_graph():
    return None


def enable_onednn_fusion(enabled):
    pass


def onednn_fusion_enabled():
    return False


def set_fusion_strategy(strategy):
    return []


def run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None):
    pass


class optimized_execution:
    def __init__(self, should_optimize):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class fuser(optimized_execution):
    pass
