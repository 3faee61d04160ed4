# torch.hub -- files by address: those that are here already, or file: URLs. There is no network.
import os
import re

from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")     # the start of a file's digest, within its name
_dir = [None]


def _get_torch_home():
    return os.path.expanduser(os.environ.get("TORCH_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "torch"))


def get_dir():
    return os.path.join(_get_torch_home(), "hub") if _dir[0] is None else _dir[0]


def set_dir(d):
    _dir[0] = os.path.expanduser(d)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    with urlopen(url) as f:
        data = f.read()
    if hash_prefix is not None:
        import hashlib
        got = hashlib.sha256(data).hexdigest()
        if not got.startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{got}")')
    with open(dst, "wb") as f:
        f.write(data)


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None,
                             weights_only=False):
    import torch
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(path):
        prefix = os.path.basename(path).rpartition("-")[2].partition(".")[0] if check_hash else None
        download_url_to_file(url, path, prefix, progress)
    return torch.load(path, map_location=map_location, weights_only=weights_only)


def load(repo_or_dir, model, *args, source="github", **kwargs):
    if source != "local":
        raise RuntimeError(f"torch.hub.load: there is no network; source='local' loads {model} from a folder")
    import sys
    sys.path.insert(0, repo_or_dir)
    try:
        hubconf = __import__("hubconf")
    finally:
        sys.path.remove(repo_or_dir)
    return getattr(hubconf, model)(*args, **kwargs)
