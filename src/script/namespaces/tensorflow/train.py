# tensorflow.train -- what is left there in version 2: checkpoints in memory.
import _tree
from tensorflow._variable import Variable
from tensorflow._module import Module


class Checkpoint:
    # Keeps copies of the variables of what it is given, under a path, for this run.
    _saved = {}

    def __init__(self, root=None, **kw):
        self.parts = dict(kw)
        if root is not None:
            self.parts["root"] = root

    def _variables(self):
        out = []
        for k in sorted(self.parts):
            x = self.parts[k]
            out += [x] if isinstance(x, Variable) else list(x.variables)
        return out

    def save(self, file_prefix):
        Checkpoint._saved[file_prefix] = [v.numpy() for v in self._variables()]
        return file_prefix

    write = save

    def restore(self, save_path):
        mine, saved = self._variables(), Checkpoint._saved[save_path]
        if len(mine) != len(saved):
            # TensorFlow would fill the missing ones when they are made
            raise NotImplementedError(f"{save_path} has {len(saved)} variables, the objects have {len(mine)}: make the "
                                      "variables (call the model once) before restore")
        for v, x in zip(mine, saved):
            v.assign(x)
        return self

    read = restore

    def assert_consumed(self):
        return self

    expect_partial = assert_consumed
