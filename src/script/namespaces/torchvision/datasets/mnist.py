# torchvision.datasets.mnist -- digits and their kin, of the idx files (also gzipped) in root/NAME/raw or root.
import gzip
import os

import torch
from PIL import Image
from torchvision.datasets.vision import VisionDataset, no_network

_TYPES = {8: torch.uint8, 9: torch.int8, 11: torch.int16, 12: torch.int32, 13: torch.float32, 14: torch.float64}


def read_sn3_pascalvincent_tensor(path, strict=True):
    # idx: 0, 0, type, number of axes; their sizes; the numbers, all with the high byte first
    with (gzip.open(path, "rb") if str(path).endswith(".gz") else open(path, "rb")) as f:
        data = f.read()
    axes, dtype = data[3], _TYPES[data[2]]
    sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(axes)]
    raw = torch.frombuffer(data, dtype=torch.uint8, offset=4 + 4 * axes)
    n = dtype.itemsize
    if n > 1:
        raw = torch.frombuffer(raw.view(-1, n).flip(1).contiguous().numpy().tobytes(), dtype=dtype)
    elif dtype != torch.uint8:
        raw = raw.view(dtype)
    count = 1
    for s in sizes:
        count *= s
    if strict and raw.numel() != count:
        raise AssertionError(f"{path} has {raw.numel()} numbers, its head says {count}")
    return raw[:count].view(sizes)


def read_label_file(path):
    return read_sn3_pascalvincent_tensor(path, False).long()


def read_image_file(path):
    return read_sn3_pascalvincent_tensor(path, False)


class MNIST(VisionDataset):
    classes = ["0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
               "9 - nine"]
    mirrors = []
    _split = None

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        if not self._check_exists():
            raise RuntimeError("Dataset not found. You can use download=True to download it")
        self.data, self.targets = self._load_data()

    @property
    def raw_folder(self):
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def processed_folder(self):
        return os.path.join(self.root, type(self).__name__, "processed")

    @property
    def class_to_idx(self):
        return {name: i for i, name in enumerate(self.classes)}

    train_labels = test_labels = property(lambda self: self.targets)
    train_data = test_data = property(lambda self: self.data)

    def _names(self):
        part = "train" if self.train else "t10k"
        return f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"

    def _find(self, name):
        for folder in (self.raw_folder, self.root):
            for end in ("", ".gz"):
                if os.path.isfile(os.path.join(folder, name + end)):
                    return os.path.join(folder, name + end)
        return None

    def _check_exists(self):
        return all([self._find(n) is not None for n in self._names()])

    def download(self):
        if not self._check_exists():
            no_network(type(self).__name__, self.raw_folder)

    def _load_data(self):
        images, labels = self._names()
        return read_image_file(self._find(images)), read_label_file(self._find(labels))

    def __getitem__(self, index):
        return self._transformed(Image.fromarray(self.data[index].numpy()), int(self.targets[index]))

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f"Split: {'Train' if self.train is True else 'Test'}"


class FashionMNIST(MNIST):
    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


class KMNIST(MNIST):
    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


class EMNIST(MNIST):
    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")

    def __init__(self, root, split, **kwargs):
        if split not in self.splits:
            raise ValueError(f"Unknown value '{split}' for argument split. Valid values are {set(self.splits)}.")
        self.split = split
        super().__init__(root, **kwargs)
        digits = [str(i) for i in range(10)]
        self.classes = digits if split in ("digits", "mnist") else digits + [chr(c) for c in range(65, 91)]

    def _names(self):
        part = f"emnist-{self.split}-{'train' if self.train else 'test'}"
        return f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"


class QMNIST(MNIST):
    pass
