# torch.distributed.device_mesh -- the processes as an array with named axes; a group of processes for each axis.
import torch
import torch.distributed as dist




class DeviceMesh:
    def __init__(self, device_type, mesh, *, mesh_dim_names=None, backend_override=None, _init_backend=True, _rank=None,
                 _groups=None):
        if backend_override is not None or not _init_backend or _rank is not None:
            raise NotImplementedError("DeviceMesh: backend_override, _init_backend=False, _rank")
        self.device_type = device_type
        self.mesh = (mesh.detach() if isinstance(mesh, torch.Tensor) else torch.tensor(mesh)).to(torch.int32)
        if mesh_dim_names is not None:
            if len(mesh_dim_names) != self.mesh.ndim:
                raise RuntimeError("mesh_shape and mesh_dim_names should have same length!"
                                   f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{self.mesh.ndim}.")
            if len(set(mesh_dim_names)) != len(mesh_dim_names):
                raise RuntimeError("Each mesh_dim_name must be unique.", f"Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}")
        self.mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names is not None else None
        if not dist.is_initialized():
            dist.init_process_group()
        n = dist.get_world_size()
        if self.mesh.numel() > n:
            raise RuntimeError(f"Mesh should not be bigger than default world size {n}, but found {self.mesh.numel()} ranks!")
        self._groups = self._made() if _groups is None else _groups

    def _lines(self, dim):
        # The ranks of each line along an axis.
        return self.mesh.movedim(dim, -1).reshape(-1, self.mesh.shape[dim]).tolist()

    def _made(self):
        # Every process makes every group.
        out = []
        for dim in range(self.mesh.ndim):
            mine = None
            for ranks in self._lines(dim):
                whole = ranks == list(range(dist.get_world_size()))
                group = dist.group.WORLD if whole else dist.new_group(ranks)
                mine = group if dist.get_rank() in ranks else mine
            out.append(mine)
        return out

    @property
    def shape(self):
        return tuple(self.mesh.shape)

    @property
    def ndim(self):
        return self.mesh.ndim

    def size(self, mesh_dim=None):
        return self.mesh.numel() if mesh_dim is None else self.mesh.shape[mesh_dim]

    def get_rank(self):
        return dist.get_rank()

    def get_coordinate(self):
        flat = self.mesh.reshape(-1).tolist()
        if dist.get_rank() not in flat:
            return None
        at, out = flat.index(dist.get_rank()), []
        for n in reversed(self.shape):
            out.insert(0, at % n)
            at //= n
        return tuple(out)

    def _number(self, dim):
        if not isinstance(dim, str):
            return dim
        if self.mesh_dim_names is None or dim not in self.mesh_dim_names:
            raise KeyError(f"Invalid mesh_dim_names {(dim,)} specified. Valid mesh_dim_names are {list(self.mesh_dim_names or [])}.")
        return self.mesh_dim_names.index(dim)

    def get_local_rank(self, mesh_dim=None):
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions", "Optional kwarg `mesh_dim` needs to be specified when "
                               "device_mesh.ndim > 1.")
        return self.get_coordinate()[self._number(mesh_dim or 0)]

    def get_group(self, mesh_dim=None):
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions", "Optional kwarg `mesh_dim` needs to be specified when "
                               "device_mesh.ndim > 1.", "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                               "please use `get_all_groups()` instead.")
        return self._groups[self._number(mesh_dim or 0)]

    def get_all_groups(self):
        return list(self._groups)

    def __getitem__(self, names):
        names = (names,) if isinstance(names, str) else tuple(names)
        if self.mesh_dim_names is None:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        if any([n not in self.mesh_dim_names for n in names]):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {list(self.mesh_dim_names)}.")
        dims, at = [self.mesh_dim_names.index(n) for n in names], self.get_coordinate()
        part = self.mesh[tuple([slice(None) if d in dims else at[d] for d in range(self.ndim)])]
        left = sorted(dims)
        part = part.permute([left.index(d) for d in dims])
        return DeviceMesh(self.device_type, part, mesh_dim_names=names, _groups=[self._groups[d] for d in dims])

    def __eq__(self, other):
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return (self.device_type, tuple(self.mesh.reshape(-1).tolist()), self.shape, self.mesh_dim_names)

    def __repr__(self):
        flat, shape = self.mesh.reshape(-1).tolist(), self.shape
        names = self.mesh_dim_names
        text = ", ".join([f"{n}={d}" for n, d in zip(names, shape)]) if names else ", ".join([str(d) for d in shape])
        text += "," if len(shape) == 1 and not names else ""
        strides, step = [], 1
        for d in reversed(shape):
            strides.insert(0, step if d > 1 else ())
            step *= d
        if len(shape) == 1 and len(flat) > 1:
            strides = [flat[1] - flat[0]]
        return f"DeviceMesh(({text}), '{self.device_type}', stride={tuple(strides)})"


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    if mesh_dim_names is not None and len(set(mesh_dim_names)) != len(mesh_dim_names):
        raise RuntimeError("Each mesh_dim_name must be unique.", f"Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}")
    if mesh_dim_names is not None and len(mesh_shape) != len(mesh_dim_names):
        raise RuntimeError("mesh_shape and mesh_dim_names should have same length!",
                           f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.")
    if device_type and not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. ",
                           "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.")
    n = 1
    for d in mesh_shape:
        n *= d
    return DeviceMesh(device_type, torch.arange(n).reshape(tuple(mesh_shape)), mesh_dim_names=mesh_dim_names,
                      backend_override=backend_override)
