# torch.distributed.checkpoint -- states written once, by one process of all, and read by any number of them. What is divided is
# written whole. The files are Weft's own: a reader finds all of a checkpoint, or what was there before.
import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp._fully_shard import DTensor

_DATA, _HEAD = "__0_0.distcp", ".metadata"


class CheckpointException(Exception):
    pass


class FileSystemWriter:
    def __init__(self, path, **options):
        self.path = str(path)


class FileSystemReader(FileSystemWriter):
    pass


def _where(checkpoint_id, storage, what):
    if storage is not None:
        return storage.path
    if checkpoint_id is None:
        raise ValueError(f"{what}: checkpoint_id or a storage is needed")
    return str(checkpoint_id)


def _alone(no_dist):
    return no_dist or not dist.is_initialized()


def _state(value):
    # What has a state is saved as its state.
    return value.state_dict() if hasattr(value, "state_dict") and hasattr(value, "load_state_dict") else value


def _flat(tree, prefix, out):
    # Leaves by name; every process brings what is divided together.
    tree = _state(tree)
    if isinstance(tree, dict):
        for k, v in tree.items():
            _flat(v, f"{prefix}{k}.", out)
    elif isinstance(tree, (list, tuple)) and any([isinstance(v, (torch.Tensor, dict, list, tuple)) for v in tree]):
        for k, v in enumerate(tree):
            _flat(v, f"{prefix}{k}.", out)
    else:
        out[prefix[:-1]] = tree.full_tensor() if isinstance(tree, DTensor) else tree.detach() if isinstance(tree, torch.Tensor) else tree
    return out


def _write(path, value):
    # All of it or nothing.
    torch.save(value, path + ".tmp")
    os.replace(path + ".tmp", path)


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False,
         use_collectives=True):
    if planner is not None:
        raise NotImplementedError("torch.distributed.checkpoint.save: planner")
    path = _where(checkpoint_id, storage_writer, "save")
    flat = _flat(state_dict, "", {})
    error = None
    if _alone(no_dist) or dist.get_rank(process_group) == 0:
        try:
            os.makedirs(path, exist_ok=True)
            data = f"__0_0.{len(os.listdir(path))}.distcp" if os.path.exists(path + "/" + _HEAD) else _DATA
            _write(path + "/" + data, flat)
            before = torch.load(path + "/" + _HEAD)["data"] if os.path.exists(path + "/" + _HEAD) else None
            _write(path + "/" + _HEAD, {"version": 1, "data": data, "names": list(flat)})
            if before is not None and before != data and os.path.exists(path + "/" + before):
                os.remove(path + "/" + before)
        except OSError as e:
            error = str(e)
    if not _alone(no_dist):
        told = [error]
        dist.broadcast_object_list(told, group=process_group, group_src=0)    # nobody goes on before it is written
        error = told[0]
    if error is not None:
        raise CheckpointException(error)


def _put(tree, prefix, flat, strict_missing):
    if isinstance(tree, dict):
        for k in list(tree):
            v = tree[k]
            if hasattr(v, "state_dict") and hasattr(v, "load_state_dict"):
                state = v.state_dict()
                _put(state, f"{prefix}{k}.", flat, strict_missing)
                v.load_state_dict(state)
                continue
            if isinstance(v, (dict, list)) and not _is_leaf(v):
                _put(v, f"{prefix}{k}.", flat, strict_missing)
                continue
            tree[k] = _one(v, f"{prefix}{k}", flat, strict_missing)
    else:
        for k, v in enumerate(tree):
            if isinstance(v, (dict, list)) and not _is_leaf(v):
                _put(v, f"{prefix}{k}.", flat, strict_missing)
            else:
                tree[k] = _one(v, f"{prefix}{k}", flat, strict_missing)


def _is_leaf(v):
    return isinstance(v, list) and not any([isinstance(x, (torch.Tensor, dict, list, tuple)) for x in v])


def _one(v, name, flat, missing):
    if name not in flat:
        missing.append(name)
        return v
    new = flat[name]
    if isinstance(v, DTensor):
        v._load(new)
        return v
    if isinstance(v, torch.Tensor):
        if tuple(v.shape) != tuple(new.shape):
            raise ValueError(f"Size mismatch between saved {tuple(new.shape)} and current: {tuple(v.shape)} for {name}")
        with torch.no_grad():
            v.copy_(new)
        return v
    return new


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    if planner is not None:
        raise NotImplementedError("torch.distributed.checkpoint.load: planner")
    path = _where(checkpoint_id, storage_reader, "load")
    if not os.path.exists(path + "/" + _HEAD):
        raise CheckpointException(f"{path}: there is no checkpoint")
    head = torch.load(path + "/" + _HEAD)
    if not isinstance(head, dict) or head.get("version") != 1:
        raise CheckpointException(f"{path}: a checkpoint of another system")
    missing = []
    _put(state_dict, "", torch.load(path + "/" + head["data"]), missing)
    if missing:
        raise RuntimeError(f"Missing key in checkpoint state_dict: {missing[0]}.")
