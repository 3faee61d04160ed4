import signal

import numpy as np
import pytest

import weft

# Who is started in the background of a shell inherits that SIGINT is ignored, and Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def net(tmp_path):
    """A file with a method forward: y = x w + b, as a model of two tensors."""
    p = weft.trace(lambda w, b, x: x @ w + b, "f32[3,2]", "f32[2]", "f32[N,3]", name="forward")
    m = weft.Model()
    m.add(p)
    m.tensors["w"] = np.arange(6, dtype=np.float32).reshape(3, 2)
    m.tensors["b"] = np.array([0.5, -0.5], np.float32)
    m.set_meta("method.forward", "state w\nstate b\n")
    m.set_meta("tree", "module\t\tNet\t\nparam\tw\nparam\tb\n")
    path = tmp_path / "net.weft"
    m.save(path)
    return path
