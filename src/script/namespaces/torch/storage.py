# torch.storage -- the memory of tensors: how large it is, where it is, what stands in it.
import _torch as _w


class UntypedStorage:
    # The bytes, all of them: views of one tensor have one storage.
    def __init__(self, size=0, *, device=None):
        self._of(_w.full((size,), 0, _w.uint8))

    def _of(self, tensor):
        self._bytes = _w.about(tensor, "memory")
        self._tensor = tensor
        self._address = _w.about(tensor, "address") - _w.about(tensor, "offset") * tensor.dtype.itemsize
        return self

    def data_ptr(self):
        return self._address

    def nbytes(self):
        return self._bytes

    size = __len__ = nbytes

    @property
    def device(self):
        return self._tensor.device

    is_cuda = property(lambda self: self._tensor.is_cuda)

    def is_shared(self):
        return self._tensor.is_shared()

    def share_memory_(self):
        self._tensor.share_memory_()
        return self

    def _elements(self, dtype):
        x = self._tensor
        flat = _w.detach(_w.as_strided(x, (self._bytes // x.dtype.itemsize,), (1,), 0))
        return flat if dtype == x.dtype else _w.reshape(_w.memory_as(flat, dtype), (-1,))

    def __getitem__(self, i):
        return self._elements(_w.uint8)[i].item()

    def tolist(self):
        return self._elements(_w.uint8).tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._address == other._address

    def __hash__(self):
        return hash(self._address)

    def __repr__(self):
        return "".join([f" {v}\n" for v in self.tolist()]) + f"[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


class TypedStorage:
    def __init__(self, *args, dtype=None, device=None):
        dtype = dtype or _w.float32
        numbers = list(args[0]) if args and not isinstance(args[0], int) else [0] * (args[0] if args else 0)
        self._of(_w.tensor(numbers, dtype))

    def _of(self, tensor):
        self.dtype, self._untyped_storage = tensor.dtype, UntypedStorage()._of(tensor)
        return self

    def untyped(self):
        return self._untyped_storage

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    def nbytes(self):
        return self._untyped_storage.nbytes()

    def element_size(self):
        return self.dtype.itemsize

    def size(self):
        return self.nbytes() // self.dtype.itemsize

    __len__ = size
    device = property(lambda self: self._untyped_storage.device)
    is_cuda = property(lambda self: self._untyped_storage.is_cuda)

    def is_shared(self):
        return self._untyped_storage.is_shared()

    def _elements(self):
        return self._untyped_storage._elements(self.dtype)

    def __getitem__(self, i):
        if isinstance(i, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._elements()[i].item()

    def __setitem__(self, i, value):
        self._elements()[i] = value

    def fill_(self, value):
        self._elements().fill_(value)
        return self

    def tolist(self):
        return self._elements().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __repr__(self):
        return "".join([f" {v}\n" for v in self.tolist()]) + \
            f"[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"
