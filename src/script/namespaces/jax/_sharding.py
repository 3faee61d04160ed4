# jax._sharding -- devices, meshes of them, and how arrays are divided among them.
#
# An array is one piece of memory here, of which the devices of this process (threads, see
# jax._spmd) use their parts where they lie. Its sharding says which part is whose. Of an array
# that is divided among several processes each has the block that its devices have (tensor/parted.c).
import _jax as _w


def axis_id(name):
    # A name of an axis as texts of meshes have it.
    text = name if isinstance(name, str) else repr(name)
    plain = [c if c.isalnum() or c == "_" else f"%{ord(c):x}" for c in text]
    return "".join(plain)


# ---- devices


class World:
    # The processes that run together (jax.distributed): how many, and which of them this is.
    index, count = 0, 1


class Device:
    platform = "cpu"
    device_kind = "cpu"

    def __init__(self, id, process=0, local=None):
        self.id = id
        self.process_index = self.host_id = process
        self.local_hardware_id = id if local is None else local

    def __repr__(self):
        return f"CpuDevice(id={self.id})"

    def __str__(self):
        return f"cpu:{self.id}"

    def memory_stats(self):
        return None


def _count():
    # How many were asked for: our own variable, JAX's flag, or its option.
    import os
    from jax._config import config
    own = os.environ.get("WEFT_DEVICES")
    if own:
        return int(own)
    if config.values["jax_num_cpu_devices"] > 0:
        return config.values["jax_num_cpu_devices"]
    for flag in os.environ.get("XLA_FLAGS", "").split():
        if flag.startswith("--xla_force_host_platform_device_count="):
            return int(flag.split("=")[1])
    return 1


_all = []
FIRST_OF_PROCESS = 2048    # ids of devices of a process begin at multiples of it, as JAX numbers them


def _device_of(id):
    return [d for d in _all if d.id == id][0]


def devices(backend=None):
    from jax import _gpu
    if backend not in (None, "cpu", "gpu", "cuda") or (backend in ("gpu", "cuda") and not _gpu.devices):
        raise RuntimeError(f"Unknown backend {backend}. Available backends are ['cpu']")
    if backend != "cpu" and _gpu.devices:
        return list(_gpu.devices)
    if not _all:
        n = _count()
        _all.extend([Device(p * FIRST_OF_PROCESS + i, p, i) for p in range(World.count) for i in range(n)])
    return list(_all)


def is_local(device):
    return device.process_index == World.index


def local_devices(process_index=None, backend=None):
    wanted = World.index if process_index is None else process_index
    if not 0 <= wanted < World.count:
        raise ValueError(f"Unknown process_index {process_index}")
    return [d for d in devices(backend) if d.process_index == wanted]


def home_of(x):
    # The one device where an array lies that nothing is said of: that of the GPU that has it, or the default one of when it was made.
    from jax import _gpu
    if _w.about(x, "symbolic"):
        return local_devices(None, "cpu")[0]
    n, text = _w.device_at(x), _w.layout(x)
    if text is not None and text[0] == "~":
        return _device_of(int(text[1:].rstrip("|")))
    return _gpu.devices[n - 1] if n else local_devices(None, "cpu")[0]


def are_started():
    return len(_all) > 0


# ---- meshes


class AxisType:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


AxisType.Auto, AxisType.Explicit, AxisType.Manual = AxisType("Auto"), AxisType("Explicit"), AxisType("Manual")


def _flat(x):
    if isinstance(x, (list, tuple)):
        return [d for v in x for d in _flat(v)]
    return [x]


class Mesh:
    def __init__(self, devices, axis_names, axis_types=None):
        import numpy
        if isinstance(axis_names, str):
            axis_names = (axis_names,)
        if not hasattr(devices, "shape"):
            devices = numpy.array(devices, dtype=object)
        self.devices = devices
        self.axis_names = tuple(axis_names)
        self.axis_sizes = tuple(devices.shape)
        if len(self.axis_names) != len(self.axis_sizes):
            raise ValueError("Mesh requires the ndim of its first argument (`devices`) to equal the length of its second "
                             f"argument (`axis_names`), but got devices.ndim == {len(self.axis_sizes)} and "
                             f"len(axis_names) == {len(self.axis_names)}.")
        if axis_types is None:
            axis_types = (AxisType.Auto,) * len(self.axis_names)
        elif isinstance(axis_types, AxisType):
            axis_types = (axis_types,)
        self.axis_types = tuple(axis_types)
        if len(self.axis_types) != len(self.axis_names):
            raise ValueError(f"Number of axis names should match the number of axis_types. Got axis_names={self.axis_names} "
                             f"and axis_types={self.axis_types}")

    @property
    def shape(self):
        from collections import OrderedDict
        return OrderedDict(zip(self.axis_names, self.axis_sizes))

    @property
    def shape_tuple(self):
        return tuple(zip(self.axis_names, self.axis_sizes))

    @property
    def size(self):
        n = 1
        for s in self.axis_sizes:
            n *= s
        return n

    @property
    def empty(self):
        return len(self.axis_names) == 0

    @property
    def explicit_names(self):
        return [n for n, t in zip(self.axis_names, self.axis_types) if t.name == "Explicit"]

    @property
    def typed(self):
        # As natives take it: axes that are a part of types.
        return ",".join([axis_id(n) for n in self.explicit_names])

    @property
    def flat_devices(self):
        return _flat(self.devices.tolist())

    @property
    def device_ids(self):
        import numpy
        return numpy.array([d.id for d in self.flat_devices]).reshape(self.axis_sizes)

    @property
    def abstract_mesh(self):
        made = AbstractMesh(self.axis_sizes, self.axis_names, self.axis_types)
        made._of = self
        return made

    @property
    def local_devices(self):
        return [d for d in self.flat_devices if is_local(d)]

    @property
    def is_multi_process(self):
        return len(self.local_devices) != self.size

    @property
    def local_mesh(self):
        # The block that is of this process.
        import numpy
        if not self.is_multi_process:
            return self
        here, sizes, step = [k for k, d in enumerate(self.flat_devices) if is_local(d)], [], self.size
        for n in self.axis_sizes:
            step //= n
            sizes.append(len(set([k // step % n for k in here])))
        return Mesh(numpy.array(self.local_devices, dtype=object).reshape(tuple(sizes)), self.axis_names, self.axis_types)

    @property
    def process_sizes(self):
        # How many processes stand along each axis, if each has a block of the devices and they are in order; else None.
        ids = [d.process_index for d in self.flat_devices]
        if World.count == 1 or set(ids) != set(range(World.count)):
            return None
        sizes, step = [], len(ids)
        for n in self.axis_sizes:
            step //= n
            sizes.append(len(set([ids[k * step] for k in range(n)])))
        for k, process in enumerate(ids):
            at, rest, size = 0, k, len(ids)
            for n, p in zip(self.axis_sizes, sizes):
                size //= n
                at = at * p + rest // size * p // n
                rest %= size
            if at != process:
                return None
        return tuple(sizes)

    def text(self, names=None):
        # As natives take it, of the axes named.
        return ",".join([f"{axis_id(n)}:{s}" for n, s in zip(self.axis_names, self.axis_sizes)
                         if names is None or n in names])

    def _key(self):
        return (self.axis_names, self.axis_sizes, tuple([d.id for d in self.flat_devices]),
                tuple([t.name for t in self.axis_types]))

    def __eq__(self, other):
        return isinstance(other, Mesh) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        axes = ", ".join([f"{n!r}: {s}" for n, s in zip(self.axis_names, self.axis_sizes)])
        if not axes:
            return "Mesh()"
        return f"Mesh({axes}, axis_types={self.axis_types})"

    def __repr__(self):
        return f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names}, axis_types={self.axis_types})"

    def __enter__(self):
        context.append(self)
        return self

    def __exit__(self, *exc):
        context.pop()
        return False


class AbstractMesh(Mesh):
    # Names, sizes and types of axes; of which devices is said elsewhere.
    def __init__(self, axis_sizes, axis_names, axis_types=None, *, abstract_device=None):
        self.axis_sizes, self.axis_names = tuple(axis_sizes), tuple(axis_names)
        self.axis_types = (AxisType.Auto,) * len(self.axis_names) if axis_types is None else \
            (axis_types,) if isinstance(axis_types, AxisType) else tuple(axis_types)
        self.abstract_device, self._of = abstract_device, None

    @property
    def devices(self):
        raise ValueError("AbstractMesh does not implement devices")

    @property
    def abstract_mesh(self):
        return self

    @property
    def flat_devices(self):
        return [] if self._of is None else self._of.flat_devices

    def _key(self):
        return (self.axis_names, self.axis_sizes, tuple([t.name for t in self.axis_types]))

    def __eq__(self, other):
        return isinstance(other, AbstractMesh) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        axes = ", ".join([f"{n!r}: {s}" for n, s in zip(self.axis_names, self.axis_sizes)])
        if not axes:
            return "AbstractMesh((), axis_types=())"
        of = "" if self._of is None else ", device_kind=cpu, num_cores=None, platform=cpu"
        return f"AbstractMesh({axes}, axis_types={self.axis_types}{of})"

    __repr__ = __str__


context = []


def abstract_context():
    mesh = context_mesh()
    return AbstractMesh((), ()) if mesh is None else mesh.abstract_mesh


def context_mesh():
    # The one set by set_mesh or use_mesh, or None.
    return context[-1] if context else None


class set_mesh:
    # From now on; as a context manager, until its end.
    def __init__(self, mesh):
        self.before = list(context)
        context.append(mesh)

    def __enter__(self):
        return context[-1]

    def __exit__(self, *exc):
        context.clear()
        context.extend(self.before)
        return False


use_mesh = set_mesh


class use_abstract_mesh(set_mesh):
    def __init__(self, mesh):
        self.before = list(context)
        concrete = mesh._of if mesh._of is not None else context_mesh()
        if concrete is not None:
            concrete = Mesh(concrete.devices, mesh.axis_names, mesh.axis_types)
        context.append(concrete)


def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):
    have = globals()["devices"]() if devices is None else list(devices)
    n = 1
    for s in axis_shapes:
        n *= s
    if n > len(have):
        raise ValueError(f"Number of devices {len(have)} must be >= the product of mesh_shape {tuple(axis_shapes)}")
    import numpy
    if axis_types is None:
        axis_types = (AxisType.Explicit,) * len(axis_names)
    return Mesh(numpy.array(have[:n], dtype=object).reshape(tuple(axis_shapes)), axis_names, axis_types)


# ---- layouts


class _Unconstrained:
    def __repr__(self):
        return "UNCONSTRAINED"


class PartitionSpec:
    # unreduced: axes over which values are yet to be added up; reduced: over which their cotangents are.
    UNCONSTRAINED = _Unconstrained()

    def __init__(self, *partitions, unreduced=frozenset(), reduced=frozenset()):
        self._partitions = tuple([_entry(p) for p in partitions])
        self.unreduced, self.reduced = _names(unreduced, "unreduced"), _names(reduced, "reduced")
        if self.unreduced & self.reduced:
            raise ValueError("`unreduced` and `reduced` argument to PartitionSpec cannot overlap. "
                             f"Got unreduced: {self.unreduced} and reduced: {self.reduced}")
        for word in ("unreduced", "reduced"):
            if any([n in getattr(self, word) for n in self.names()]):
                raise ValueError(f"partitions cannot overlap with {word} axes passed to PartitionSpec. Got partitions: "
                                 f"{self._partitions} and {word} axes: {getattr(self, word)}")

    @property
    def partitions(self):
        return self._partitions

    def _sums(self):
        return [f"{word}={set(names)!r}" for word, names in (("unreduced", self.unreduced), ("reduced", self.reduced)) if names]

    def __repr__(self):
        parts, sums = repr(self._partitions)[1:-1], ", ".join(self._sums())
        return f"P({parts}{(' ' if parts.endswith(',') else ', ') if parts and sums else ''}{sums})"

    def _plain(self, how, instead):
        if self._sums():
            raise ValueError(f"Using {how} is dangerous when PartitionSpec has non-empty unreduced/reduced set. Please use {instead}")

    def __iter__(self):
        self._plain("*pspec", "*spec.partitions")
        return iter(self._partitions)

    def __len__(self):
        return len(self._partitions)

    def __getitem__(self, i):
        self._plain("pspec[...]", "spec.partitions[...]")
        return self._partitions[i]

    def _key(self):
        return self._partitions, self.unreduced, self.reduced

    def __eq__(self, other):
        return isinstance(other, PartitionSpec) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _joined(self, other, parts, what):
        # With a spec or a tuple.
        if isinstance(other, PartitionSpec):
            return PartitionSpec(*parts, unreduced=self.unreduced | other.unreduced, reduced=self.reduced | other.reduced)
        if not isinstance(other, tuple):
            raise NotImplementedError
        for word in ("unreduced", "reduced"):
            if getattr(self, word):
                raise TypeError(f"other {other} cannot be of instance `tuple` when self {self} has {word} in `{what}` of PartitionSpec.")
        return PartitionSpec(*parts)

    def __add__(self, other):
        return self._joined(other, self._partitions + tuple(getattr(other, "_partitions", other)), "__add__")

    def __radd__(self, other):
        return self._joined(other, tuple(other) + self._partitions, "__radd__")

    def index(self, value):
        return self._partitions.index(_entry(value))

    def count(self, value):
        return self._partitions.count(_entry(value))

    def update(self, partitions=None, unreduced=None, reduced=None):
        return PartitionSpec(*(self._partitions if partitions is None else partitions),
                             unreduced=self.unreduced if unreduced is None else unreduced,
                             reduced=self.reduced if reduced is None else reduced)

    def entries(self):
        # A tuple of names for each axis.
        return tuple([() if p is None or p is PartitionSpec.UNCONSTRAINED else p if isinstance(p, tuple) else (p,)
                      for p in self._partitions])

    def names(self):
        return [n for e in self.entries() for n in e]

    def text(self, rank):
        # As natives take it, who know no sums that are to come.
        if self._sums():
            raise NotImplementedError(f"values that are yet to be added up: {self!r}")
        parts = ["+".join([axis_id(n) for n in e]) or "-" for e in self.entries()]
        return ",".join(parts + ["-"] * (rank - len(parts)))


def _entry(p):
    # One name alone is itself, no names are None.
    p = tuple(p) if isinstance(p, (list, tuple)) else p
    return p if not isinstance(p, tuple) or len(p) > 1 else p[0] if p else None


def _names(given, word):
    if not isinstance(given, (set, frozenset)):
        raise TypeError(f"{word} argument of PartitionSpec should of type `frozenset` or `set`. Got type {given}")
    if None in given:
        raise ValueError(f"{word} cannot contain None. All elements in {word} should refer to the mesh axes.")
    return frozenset(given)


P = PartitionSpec


class DuplicateSpecError(Exception):
    pass


class ShardingTypeError(Exception):
    pass


class IndivisibleError(ValueError):
    pass


class Sharding:
    memory_kind = "device"

    @property
    def is_fully_addressable(self):
        return all([is_local(d) for d in self._devices()])

    @property
    def num_devices(self):
        return len(self.device_set)

    @property
    def addressable_devices(self):
        return set([d for d in self._devices() if is_local(d)])

    def addressable_devices_indices_map(self, shape):
        return dict([(d, i) for d, i in self.devices_indices_map(shape).items() if is_local(d)])

    def is_equivalent_to(self, other, ndim):
        return self._devices() == other._devices() and self._tiles(ndim) == other._tiles(ndim)


class SingleDeviceSharding(Sharding):
    is_fully_replicated = True

    def __init__(self, device, memory_kind=None):
        self._device = device

    def __repr__(self):
        return f"SingleDeviceSharding(device={self._device!r}, memory_kind=device)"

    def __eq__(self, other):
        return isinstance(other, SingleDeviceSharding) and self._device is other._device

    def __hash__(self):
        return hash(self._device.id)

    @property
    def device_set(self):
        return {self._device}

    def _devices(self):
        return [self._device]

    def _tiles(self, ndim):
        return [()] * ndim

    def shard_shape(self, shape):
        return tuple(shape)

    def devices_indices_map(self, shape):
        return {self._device: tuple([slice(None)] * len(shape))}

    def check(self, shape):
        return shape    # any


class NamedSharding(Sharding):
    def __init__(self, mesh, spec, *, memory_kind=None):
        if not isinstance(mesh, Mesh):
            raise TypeError(f"Unexpected type {type(mesh)} for mesh; expected a Mesh")
        if not isinstance(spec, PartitionSpec):
            raise TypeError(f"Unexpected type {type(spec)} for spec; expected a PartitionSpec")
        seen = []
        for word in ("unreduced", "reduced"):
            for name in getattr(spec, word):
                if name not in mesh.axis_names:
                    raise ValueError(f"{word.title()} axes {name} is not found in mesh.axis_names={mesh.axis_names}. Got pspec={spec!r}")
        for name in spec.names():
            if name not in mesh.axis_names:
                raise ValueError(f"Resource axis: {name} of {spec!r} is not found in mesh: {mesh.axis_names}.")
            if name in seen:
                raise DuplicateSpecError("A single NamedSharding spec specification can map every mesh axis to at most one "
                                         f"positional dimension, but {spec!r} has duplicate entries for `{name}`")
            seen.append(name)
        self.mesh, self.spec = mesh, spec

    def __repr__(self):
        kind = "" if isinstance(self.mesh, AbstractMesh) else ", memory_kind=device"
        return f"NamedSharding(mesh={self.mesh}, spec={self.spec!r}{kind})"

    def __eq__(self, other):
        return isinstance(other, NamedSharding) and self.mesh == other.mesh and self.spec == other.spec

    def __hash__(self):
        return hash((self.mesh, self.spec))

    @property
    def device_set(self):
        return set(self.mesh.flat_devices)

    def _devices(self):
        return self.mesh.flat_devices

    def _tiles(self, ndim):
        entries = list(self.spec.entries())
        return entries + [()] * (ndim - len(entries))

    @property
    def is_fully_replicated(self):
        return all([self.mesh.shape[n] == 1 for n in self.spec.names()])

    def factors(self, rank):
        sizes = self.mesh.shape
        out = []
        for e in self._tiles(rank):
            n = 1
            for name in e:
                n *= sizes[name]
            out.append(n)
        return out

    def check(self, shape, what=None):
        if len(self.spec) > len(shape):
            what = what() if callable(what) else f"{what} args" if what == "device_put" else what
            head = f"One of {what} is incompatible with its sharding annotation {self!r}: " if what else ""
            raise ValueError(f"{head}Sharding {self!r} is only valid for values of rank at least {len(self.spec)}, but was "
                             f"applied to a value of rank {len(shape)}.")
        factors = self.factors(len(shape))
        for k, (d, n) in enumerate(zip(shape, factors)):
            if d % n:
                raise IndivisibleError(f"Sharding {self!r} implies that array axis {k} is partitioned {n} times, but the "
                                       f"dimension size is {d} (full shape: {tuple(shape)}, per-dimension tiling factors: "
                                       f"{factors} should evenly divide the shape)")

    def shard_shape(self, shape):
        self.check(shape)
        return tuple([d // n for d, n in zip(shape, self.factors(len(shape)))])

    def devices_indices_map(self, shape):
        return dict([(d, index) for d, index, _ in self.places(shape)])

    def places(self, shape):
        # (device, its slices, how many devices before it have the same)
        part, sizes, out, seen = self.shard_shape(shape), self.mesh.shape, [], {}
        for k, device in enumerate(self.mesh.flat_devices):
            at, rest = {}, k
            for name in reversed(self.mesh.axis_names):
                at[name] = rest % sizes[name]
                rest //= sizes[name]
            index, key = [], []
            for d, p, e in zip(shape, part, self._tiles(len(shape))):
                i = 0
                for name in e:
                    i = i * sizes[name] + at[name]
                index.append(slice(None) if d == p else slice(i * p, i * p + p))
                key.append(i)
            key = tuple(key)
            out.append((device, tuple(index), seen.get(key, 0)))
            seen[key] = seen.get(key, 0) + 1
        return out


class Shard:
    def __init__(self, device, index, replica_id, data):
        self.device, self.index, self.replica_id, self.data = device, index, replica_id, data

    def __repr__(self):
        return f"Shard(device={self.device!r}, index={self.index!r}, replica_id={self.replica_id}, data={self.data})"


_meshes, _heads = [], []


def _head(mesh):
    # How layouts on it begin: its number, its devices, the axes that are a part of types, and their sizes (tensor/layout.c).
    if mesh not in _meshes:
        ids = ",".join([str(n) for n in sorted([d.id for d in mesh.flat_devices])])
        axes = mesh.typed
        _heads.append(f"{len(_meshes)}@{ids}{'!' + axes if axes else ''}|{mesh.text()}|")
        _meshes.append(mesh)
        sizes = mesh.process_sizes
        if sizes is not None:
            _w.part_mesh(_heads[-1], ",".join([f"{axis_id(n)}:{s}" for n, s in zip(mesh.axis_names, sizes)]))
    return _heads[_meshes.index(mesh)]


def layout_text(sharding, rank):
    return _head(sharding.mesh) + sharding.spec.text(rank)


def own_place(sharding, shape):
    # (starts, sizes) of the block of this process, where several have one each; else None.
    if World.count == 1 or not isinstance(sharding, NamedSharding):
        return None
    return _w.part_place(layout_text(sharding, len(shape)), tuple(shape))


def tell(mesh):
    # Results of work that is divided over it lie on it, whatever carries that work out.
    if mesh not in _meshes and not mesh.explicit_names:
        set_layout(_w.full((), 0, "float32"), NamedSharding(mesh, PartitionSpec()))


used = []    # not empty once an array was put somewhere


def put_sharding(x, sharding):
    # x itself lies so from now on; what is computed of it follows.
    if not used:
        used.append(True)
    x._sharding, x._committed = sharding, True
    if isinstance(sharding, NamedSharding):
        set_layout(x, sharding)
    elif len(devices()) > 1:
        _w.set_layout(x, f"@{sharding._device.id}||")


def set_layout(x, sharding):
    # As it was written, with Nones at its end (tensor/layout.c).
    spec, mesh = sharding.spec, sharding.mesh
    ends = len(spec) > 0 and spec.partitions[-1] is None and not mesh.explicit_names
    _w.set_layout(x, _head(mesh) + spec.text(len(x.shape)) + (f";{len(spec)}" if ends else ""))


def _layout_of(x):
    text = _w.layout(x)
    if text is None or text[0] == "~":
        return None
    which, _, spec = text.split("|")
    which, _, ids = which.partition("@")
    if not which:
        return SingleDeviceSharding(_device_of(int(ids)))
    mesh = _meshes[int(which)]
    spec, _, written = spec.partition(";")
    spec = spec_of(spec, mesh)
    return NamedSharding(mesh, P(*spec, *[None] * (int(written) - len(spec))) if written else spec)


def type_layout(x):
    # How x lies along axes of the type Explicit, whether it is traced or not; None: there are none.
    s = _layout_of(x)
    names = s.mesh.explicit_names if isinstance(s, NamedSharding) else []
    if not names:
        return None
    kept = [tuple([n for n in e if n in names]) for e in s._tiles(len(x.shape))]
    return NamedSharding(s.mesh, PartitionSpec(*[None if not e else e[0] if len(e) == 1 else e for e in kept]))


def _taken(key, rank):
    # The axes that an index does not take whole.
    key = key if isinstance(key, tuple) else (key,)
    used_up = sum([getattr(k, "ndim", 0) if getattr(getattr(k, "dtype", None), "kind", "") == "b" else 1
                   for k in key if k is not None and k is not Ellipsis])
    out, at = [], 0
    for k in key:
        if k is None:
            continue
        if k is Ellipsis:
            at += rank - used_up
            continue
        n = k.ndim if getattr(getattr(k, "dtype", None), "kind", "") == "b" else 1
        if not isinstance(k, slice) or k != slice(None):
            out.extend(range(at, at + n))
        at += n
    return out


def updated_layout(x, key):
    # How x.at[key].set(..) lies where axes are of the type Explicit, and None where they are not.
    lies = type_layout(x)
    if lies is None:
        return None
    tiles = lies._tiles(len(x.shape))
    if any([tiles[k] for k in _taken(key, len(x.shape))]):
        from jax._api import typeof
        raise ShardingTypeError("Use `.at[...].set/add/mul/...(out_sharding=)` to provide output PartitionSpec for the scatter update as "
                                "out sharding could not be resolved unambiguously (or would require collectives on inputs). Got "
                                f"operand=ShapedArray({typeof(x).str_short()}), index={key!r}")
    return lies


def spec_of(text, mesh, short=None):
    # What natives say, without Nones at its end; where axes are a part of types there is an entry for each.
    names = dict([(axis_id(n), n) for n in mesh.axis_names])
    entries = []
    for e in text.split(",") if text else []:
        found = [names[n] for n in e.split("+")] if e != "-" else []
        entries.append(None if not found else found[0] if len(found) == 1 else tuple(found))
    while entries and entries[-1] is None and (short or not mesh.explicit_names):
        entries.pop()
    return PartitionSpec(*entries)


def said_of(x):
    # The sharding of an array, None where nothing says that it lies on several devices.
    s = getattr(x, "_sharding", None)
    if s is None and isinstance(x, _w.Tensor) and not _w.about(x, "symbolic"):
        s = _layout_of(x)
    return s


def sharding_of(x):
    return said_of(x) or SingleDeviceSharding(home_of(x))


def shards_of(x, everywhere=False):
    # Of the devices of this process; everywhere: of all, those of others without data.
    s = sharding_of(x)
    if isinstance(s, SingleDeviceSharding):
        return [Shard(s._device, tuple([slice(None)] * len(x.shape)), 0, x)]
    out, own = [], x
    if World.count > 1:
        place = own_place(s, x.shape)
        own = _w.copy(_w.part_of(x))
        _w.set_layout(own, None)
        start = place[0] if place is not None and own.shape == place[1] else (0,) * len(x.shape)
    for device, index, replica in s.places(x.shape):
        if not is_local(device):
            if everywhere:
                out.append(Shard(device, index, replica, None))
            continue
        at = index if own is x else tuple([slice(None) if n == m else slice((i.start or 0) - k, (i.stop or n) - k)
                                           for i, k, n, m in zip(index, start, x.shape, s.shard_shape(x.shape))])
        part = _w.copy(own[at] if index else own)
        _w.set_layout(part, None)
        put_sharding(part, SingleDeviceSharding(device))
        out.append(Shard(device, index, replica, part))
    return out


def with_sharding(x, sharding):
    # The same numbers as an array that lies so.
    if World.count > 1:
        named = isinstance(sharding, NamedSharding)
        y = _w.part_lie(x, layout_text(sharding, len(x.shape)) if named and sharding.mesh.process_sizes else None)
        y = _w.copy(y)
    else:
        y = _w.copy(x)
    if not isinstance(sharding, NamedSharding):
        _w.set_layout(y, None)
    put_sharding(y, sharding)
    return y


def placed(y, sharding):
    # A result lies so from now on, itself or what it becomes.
    if own_place(sharding, y.shape) is not None:
        return with_sharding(y, sharding)
    put_sharding(y, sharding)
    return y


def as_sharding(s, what="with_sharding_constraint", argument="shardings"):
    # What may stand where a sharding is asked for.
    if isinstance(s, NamedSharding) and isinstance(s.mesh, AbstractMesh):
        return NamedSharding(s.mesh._of or context_mesh(), s.spec)
    if s is None or isinstance(s, Sharding):
        return s
    if hasattr(s, "platform"):
        return SingleDeviceSharding(s)
    if isinstance(s, PartitionSpec):
        mesh = context_mesh()
        if mesh is None:
            raise RuntimeError(f"{what} requires a non-empty mesh in context if you are passing `PartitionSpec`s to {argument}. "
                               "You can define a context mesh via `jax.set_mesh(mesh)`. Alternatively, provide `Sharding`s to "
                               f"{argument} and then the mesh context manager is not required.")
        return NamedSharding(mesh, s)
    raise ValueError(f"{s!r} is not a sharding")


def said(function, out_sharding):
    # function(), whose result is to lie so: no rule need say how it would.
    from jax._layout import reshard
    if isinstance(out_sharding, PartitionSpec) and context_mesh() is None:
        raise ValueError("Using PartitionSpec when you are not under a mesh context is not allowed. Please pass a NamedSharding "
                         f"instance or enter into a mesh context via `jax.set_mesh`. Got {out_sharding!r}")
    _w.lenient(True)
    try:
        made = function()
    finally:
        _w.lenient(False)
    return reshard(made, out_sharding)


def wrong_length(what, given, spec, at=""):
    # The error of a prefix that is a tuple of another length than the tree; None: it is not that.
    n = len(spec[3]) if isinstance(spec, tuple) else 0
    if not isinstance(given, (tuple, list)) or len(given) == n or spec[1] is not type(given):
        return None
    kind = type(given).__name__
    return ValueError(f"pytree structure error: different lengths of {kind} at key path\n    {what}{at}\nAt that key path, the prefix pytree "
                      f"{what} has a subtree of type {kind} of length {len(given)}, but the full pytree has a subtree of the same type "
                      f"but of length {n}.")
