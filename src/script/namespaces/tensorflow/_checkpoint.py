# tensorflow._checkpoint -- checkpoints as files that TensorFlow writes and reads: by objects (tf.train.Checkpoint) and by
# names (version 1's Saver), and the file "checkpoint" that lists them.
#
#   PREFIX.index, PREFIX.data-00000-of-00001     tensors by key; see src/tensorflow/bundle.c
#   PATH/.ATTRIBUTES/VARIABLE_VALUE              the key of a variable, PATH the names that lead to it from the root
#   _CHECKPOINTABLE_OBJECT_GRAPH                 TrackableObjectGraph: nodes with children by name and their keys
import os

import _tf as _w
from _proto import int_, bytes_, fields
from tensorflow._base import InvalidArgumentError, NotFoundError, state
from tensorflow._variable import Variable
from tensorflow._module import Module

GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_END = "/.ATTRIBUTES/VARIABLE_VALUE"


def exists(prefix):
    return os.path.exists(str(prefix) + ".index")


def read(prefix):
    if not exists(prefix):
        raise NotFoundError(f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}")
    return _w.read_bundle(str(prefix))


def write(prefix, entries):
    folder = os.path.dirname(str(prefix))
    if folder:
        os.makedirs(folder, exist_ok=True)
    _w.write_bundle(str(prefix), list(entries), list(entries.values()))
    return str(prefix)


# ---- objects and their children ----

def _escape(name):
    return str(name).replace(".", "..").replace("/", ".S")


def _leads(x):
    # is there a variable below?
    return bool(_children(x)) or isinstance(x, Variable)


def _children(x):
    if isinstance(x, Variable):
        return []
    if isinstance(x, Checkpoint):
        return x._parts()
    if isinstance(x, (list, tuple)):
        pairs = [(str(i), y) for i, y in enumerate(x)]
    elif isinstance(x, dict):
        pairs = [(str(k), x[k]) for k in x]
    elif isinstance(x, Module) or hasattr(x, "variables") and hasattr(x, "__dict__"):
        pairs = [(k, v) for k, v in vars(x).items() if not k.startswith("_self_")]
    else:
        return []
    return [(k, v) for k, v in pairs if isinstance(v, (Variable, Module)) or isinstance(v, (list, tuple, dict)) and v and _leads(v)
            or not isinstance(v, (list, tuple, dict, str)) and hasattr(v, "variables") and hasattr(v, "__dict__")]


def _nodes(root):
    # breadth first: [(object, path, [(name, number of a node)])]
    nodes, numbers = [(root, "", [])], {id(root): 0}
    for x, path, kids in nodes:
        for name, y in _children(x):
            if id(y) not in numbers:
                numbers[id(y)] = len(nodes)
                nodes.append((y, (path + "/" if path else "") + _escape(name), []))
            kids.append((name, numbers[id(y)]))
    return nodes


def _entries(root):
    entries, graph = {}, b""
    for x, path, kids in _nodes(root):
        node = b"".join([bytes_(1, int_(1, n) + bytes_(2, name)) for name, n in kids])
        if isinstance(x, Variable):
            key = path + _END
            entries[key] = _w.detach(x.__tensor__())
            node += bytes_(2, bytes_(1, "VARIABLE_VALUE") + bytes_(2, x.name.split(":")[0]) + bytes_(3, key))
        graph += bytes_(1, node + bytes_(5, int_(1, 1) if _leads(x) else b""))
    entries[GRAPH] = graph
    return entries


def _text(b):
    return bytes(b).decode()


class _Saved:
    # The objects of a file.
    def __init__(self, prefix):
        self.values = read(prefix)
        self.prefix = prefix
        self.taken = set()
        self.nodes = []
        for n in fields(self.values[GRAPH]).get(1, []) if GRAPH in self.values else []:
            f = fields(n)
            kids = {}
            for c in f.get(1, []):
                g = fields(c)
                kids[_text(g[2][0])] = g.get(1, [0])[0]
            keys = [_text(fields(a)[3][0]) for a in f.get(2, []) if 3 in fields(a) and _text(fields(a).get(1, [b""])[0]) == "VARIABLE_VALUE"]
            self.nodes.append((kids, keys[0] if keys else None))

    def put(self, number, x, seen):
        # the values of node `number` and of what is below it into x
        if (number, id(x)) in seen:
            return
        seen.add((number, id(x)))
        kids, key = self.nodes[number]
        if isinstance(x, Variable):
            if key is not None:
                value = self.values[key]
                if not x.shape.is_compatible_with(value.shape):
                    raise ValueError(f"Received incompatible tensor with shape {value.shape} when attempting to restore variable with shape "
                                     f"{x.shape} and name {x.name}.")
                x.assign(value)
                self.taken.add(key)
            return
        found = dict(_children(x))
        later = {}
        for name, n in kids.items():
            if name in found:
                self.put(n, found[name], seen)
            else:
                later[name] = n
        if later and isinstance(x, Module):     # attributes that are set later
            vars(x)["_self_later"] = (self, later)

    def keys_below(self):
        return [k for _, k in self.nodes if k is not None]


def restore_later(x, name, value):
    # an attribute of a module that a checkpoint waits for
    saved, later = vars(x)["_self_later"]
    if name in later and (isinstance(value, (Variable, Module, list, tuple, dict)) or hasattr(value, "variables")):
        saved.put(later.pop(name), value, set())


class _Status:
    def __init__(self, saved, root):
        self._saved, self._root = saved, root

    def _live(self):
        return [x for x, _, _ in _nodes(self._root) if isinstance(x, Variable)]

    def assert_consumed(self):
        if self._saved is not None:
            left = [k for k in self._saved.keys_below() if k not in self._saved.taken and not k.startswith("save_counter")]
            if left:
                raise AssertionError(f"Unresolved object in checkpoint: {left[0]}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self):
        if self._saved is not None:
            keys = {path + _END for x, path, _ in _nodes(self._root) if isinstance(x, Variable)}
            for k in keys:
                if k not in self._saved.taken and not k.startswith("save_counter"):
                    raise AssertionError(f"Object not assigned a value from checkpoint: {k}")
        return self

    assert_nontrivial_match = assert_existing_objects_matched

    def expect_partial(self):
        return self

    def initialize_or_restore(self, session=None):
        return None

    def run_restore_ops(self, session=None):
        return None


class Checkpoint:
    def __init__(self, root=None, **kwargs):
        self._root = root
        self._given = dict(kwargs)
        self.__dict__.update(kwargs)
        self._counter = None

    def _parts(self):
        parts = _children(self._root) if self._root is not None else []
        parts = parts + [(k, getattr(self, k)) for k in self._given]
        return parts + ([("save_counter", self._counter)] if self._counter is not None else [])

    @property
    def save_counter(self):
        if self._counter is None:
            self._counter = Variable(0, dtype="int64", trainable=False, name="save_counter")
        return self._counter

    def write(self, file_prefix, options=None):
        return write(file_prefix, _entries(self))

    def save(self, file_prefix, options=None):
        n = int(self.save_counter.numpy()) + 1
        self._counter.assign(n)
        path = f"{file_prefix}-{n}"
        write(path, _entries(self))
        note(os.path.dirname(path) or ".", path)
        return path

    def read(self, save_path, options=None):
        if save_path is None:
            return _Status(None, self)
        save_path = str(save_path)
        if os.path.isdir(save_path):
            save_path = latest_checkpoint(save_path) or save_path
        saved = _Saved(save_path)
        if GRAPH in saved.values:
            saved.put(0, self, set())
        else:                                   # by names, as version 1 writes them
            for x in [x for x, _, _ in _nodes(self) if isinstance(x, Variable)]:
                name = x.name.split(":")[0]
                if name in saved.values:
                    x.assign(saved.values[name])
        return _Status(saved, self)

    def restore(self, save_path, options=None):
        self.save_counter                       # it is restored, too
        return self.read(save_path)


# ---- the list of checkpoints ----

def _quoted(path):
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def note(folder, latest, all_paths=None, latest_filename=None, relative=True):
    # the file "checkpoint": paths are relative to its folder, those that Saver was given in full are not
    def short(p):
        if os.path.isabs(p) and not relative:
            return p
        head = os.path.join(folder, "")
        return p[len(head):] if p.startswith(head) else p
    paths = [short(p) for p in (all_paths if all_paths else [latest])]
    if short(latest) not in paths:
        paths.append(short(latest))
    with open(os.path.join(folder, latest_filename or "checkpoint"), "w") as f:
        f.write("model_checkpoint_path: " + _quoted(short(latest)) + "\n")
        for p in paths:
            f.write("all_model_checkpoint_paths: " + _quoted(p) + "\n")


class CheckpointState:
    def __init__(self, latest, paths):
        self.model_checkpoint_path, self.all_model_checkpoint_paths = latest, paths


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    folder = str(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    if not os.path.exists(path):
        return None
    latest, paths = "", []
    for line in open(path):
        key, _, value = line.strip().partition(": ")
        value = value.strip('"').replace('\\"', '"').replace("\\\\", "\\")
        value = value if os.path.isabs(value) else os.path.join(folder, value)
        if key == "model_checkpoint_path":
            latest = value
        elif key == "all_model_checkpoint_paths":
            paths.append(value)
    return CheckpointState(latest, paths)


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    s = get_checkpoint_state(checkpoint_dir, latest_filename)
    return s.model_checkpoint_path if s is not None and exists(s.model_checkpoint_path) else None


def remove(prefix):
    for name in (".index", ".data-00000-of-00001", ".meta"):
        if os.path.exists(prefix + name):
            os.remove(prefix + name)


class CheckpointManager:
    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt",
                 step_counter=None, checkpoint_interval=None, init_fn=None):
        if keep_checkpoint_every_n_hours is not None:
            raise NotImplementedError("keep_checkpoint_every_n_hours is not offered")
        self.checkpoint, self.directory = checkpoint, str(directory)
        self.max_to_keep = max_to_keep
        self._name, self._step, self._every, self._init = checkpoint_name, step_counter, checkpoint_interval, init_fn
        self._last = None
        s = get_checkpoint_state(self.directory)
        self._paths = [p for p in s.all_model_checkpoint_paths if exists(p)] if s is not None else []

    @property
    def checkpoints(self):
        return list(self._paths)

    @property
    def latest_checkpoint(self):
        return self._paths[-1] if self._paths else None

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        if self._every is not None and check_interval and self._step is not None:
            now = int(self._step.numpy())
            if self._last is not None and now < self._last + self._every:
                return None
            self._last = now
        prefix = os.path.join(self.directory, self._name)
        if checkpoint_number is None:
            path = self.checkpoint.save(prefix)
        else:
            path = self.checkpoint.write(f"{prefix}-{int(checkpoint_number)}")
        self._paths = [p for p in self._paths if p != path] + [path]
        while self.max_to_keep is not None and len(self._paths) > self.max_to_keep:
            remove(self._paths.pop(0))
        note(self.directory, path, self._paths)
        return path

    def restore_or_initialize(self):
        if self.latest_checkpoint is not None:
            self.checkpoint.restore(self.latest_checkpoint)
            return self.latest_checkpoint
        if self._init is not None:
            self._init()
        return None


# ---- reading by name ----

class CheckpointReader:
    def __init__(self, prefix):
        self._values = read(prefix)

    def has_tensor(self, name):
        return name in self._values

    def get_tensor(self, name):
        if name not in self._values:
            raise NotFoundError(f"Key {name} not found in checkpoint")
        v = self._values[name]
        return v if isinstance(v, bytes) else v.numpy()

    def get_variable_to_shape_map(self):
        return {k: [] if isinstance(v, bytes) else list(v.shape) for k, v in self._values.items()}

    def get_variable_to_dtype_map(self):
        from tensorflow import string
        return {k: string if isinstance(v, bytes) else v.dtype for k, v in self._values.items()}


def load_checkpoint(ckpt_dir_or_file):
    path = str(ckpt_dir_or_file)
    return CheckpointReader(latest_checkpoint(path) if os.path.isdir(path) else path)


def load_variable(ckpt_dir_or_file, name):
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name[:-2] if name.endswith(":0") else name)


def list_variables(ckpt_dir_or_file):
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


# ---- version 1 ----

class Saver:
    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 restore_sequentially=False, saver_def=None, builder=None, defer_build=False, allow_empty=False, write_version=None,
                 pad_step_number=False, save_relative_paths=False, filename=None):
        if sharded:
            raise NotImplementedError("sharded checkpoints are not written")
        if var_list is None and state.graph is not None:
            var_list = state.graph.get_collection("variables")
        if not var_list and not allow_empty:
            raise ValueError("No variables to save")
        pairs = var_list.items() if isinstance(var_list, dict) else [(v.name.split(":")[0], v) for v in var_list or []]
        self._vars = dict(pairs)
        self._reshape, self._keep, self._pad, self._relative = reshape, max_to_keep, pad_step_number, save_relative_paths
        self._paths = []

    @property
    def last_checkpoints(self):
        return list(self._paths)

    def set_last_checkpoints(self, paths):
        self._paths = list(paths)

    def recover_last_checkpoints(self, paths):
        self._paths = [p for p in paths if exists(p)]

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta", write_meta_graph=True,
             write_state=True, strip_default_attrs=False, save_debug_info=False):
        path = str(save_path)
        if global_step is not None:
            if not isinstance(global_step, int):
                global_step = int(sess.run(global_step)) if hasattr(global_step, "graph") else int(global_step)
            path += f"-{global_step:08d}" if self._pad else f"-{global_step}"
        folder = os.path.dirname(path) or "."
        if os.path.dirname(path) and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {path} doesn't exist, can't save.")
        write(path, {k: sess.value(v) for k, v in self._vars.items()})
        if write_state:
            self._paths = [p for p in self._paths if p != path] + [path]
            while self._keep and len(self._paths) > self._keep:
                remove(self._paths.pop(0))
            note(folder, path, self._paths, latest_filename, self._relative)
        return path

    def restore(self, sess, save_path):
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        values = read(save_path)
        for name, v in self._vars.items():
            if name not in values:
                raise NotFoundError(f"Key {name} not found in checkpoint")
            x = values[name]
            if self._reshape:
                x = _w.reshape(x, list(v.shape))
            if not v.shape.is_compatible_with(x.shape):
                raise InvalidArgumentError(f"Assign requires shapes of both tensors to match. lhs shape= {list(v.shape)} rhs shape= {list(x.shape)}")
            sess.set(v, _w.cast(x, v.dtype))
