# torchvision.datasets.cifar -- CIFAR-10 and -100, of the pickled batches in root.
import os
import pickle

import numpy as np
from PIL import Image
from torchvision.datasets.vision import VisionDataset, no_network


class CIFAR10(VisionDataset):
    base_folder = "cifar-10-batches-py"
    _train, _test = ["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"], ["test_batch"]
    _meta, _key, _labels = "batches.meta", "label_names", "labels"

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if not self._check_integrity():
            if download:
                no_network(type(self).__name__, os.path.join(str(self.root), self.base_folder))
            raise RuntimeError("Dataset not found or corrupted. You can use download=True to download it")
        parts, self.targets = [], []
        for name in self._train if train else self._test:
            entry = self._load(name)
            parts.append(np.asarray(entry["data"]))
            self.targets.extend(entry[self._labels])
        self.data = np.vstack(parts).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        self.classes = self._load(self._meta)[self._key]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _load(self, name):
        with open(os.path.join(self.root, self.base_folder, name), "rb") as f:
            return pickle.load(f, encoding="latin1")

    def _check_integrity(self):
        return all([os.path.isfile(os.path.join(self.root, self.base_folder, n))
                    for n in self._train + self._test + [self._meta]])

    def __getitem__(self, index):
        return self._transformed(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f"Split: {'Train' if self.train is True else 'Test'}"


class CIFAR100(CIFAR10):
    base_folder = "cifar-100-python"
    _train, _test = ["train"], ["test"]
    _meta, _key, _labels = "meta", "fine_label_names", "fine_labels"
