# torchvision.datasets.vision -- what the data sets have in common.
import os

import torch
from torch.utils.data import Dataset


class Transformed:
    # What has a transform of inputs and one of targets, each perhaps None.
    def _transformed(self, input, target):
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target


class StandardTransform(Transformed):
    def __init__(self, transform=None, target_transform=None):
        self.transform, self.target_transform = transform, target_transform

    def __call__(self, input, target):
        return self._transformed(input, target)

    def _lines(self, transform, head):
        lines = repr(transform).splitlines()
        return [f"{head}{lines[0]}"] + ["{}{}".format(" " * len(head), line) for line in lines[1:]]

    def __repr__(self):
        body = ["StandardTransform"]
        if self.transform is not None:
            body += self._lines(self.transform, "Transform: ")
        if self.target_transform is not None:
            body += self._lines(self.target_transform, "Target transform: ")
        return "\n".join(body)


class VisionDataset(Transformed, Dataset):
    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.transform, self.target_transform = transform, target_transform
        if transform is not None or target_transform is not None:
            transforms = StandardTransform(transform, target_transform)
        self.transforms = transforms

    def __len__(self):
        raise NotImplementedError

    def extra_repr(self):
        return ""

    def __repr__(self):
        body = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            body.append(f"Root location: {self.root}")
        body += self.extra_repr().splitlines()
        if self.transforms is not None:
            body += [repr(self.transforms)]
        return "\n".join(["Dataset " + type(self).__name__] + ["    " + part for part in body])


def no_network(name, folder):
    raise RuntimeError(f"Dataset not found: {name} cannot be downloaded, there is no network; put its files into {folder}")
