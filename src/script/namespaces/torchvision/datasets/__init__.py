# torchvision.datasets -- data sets of files that are here already. Nothing is downloaded.
from torchvision.datasets.folder import DatasetFolder, ImageFolder, IMG_EXTENSIONS, default_loader, find_classes, has_file_allowed_extension, make_dataset
from torchvision.datasets.mnist import EMNIST, FashionMNIST, KMNIST, MNIST, QMNIST
from torchvision.datasets.cifar import CIFAR10, CIFAR100
from torchvision.datasets.fakedata import FakeData
from torchvision.datasets.vision import StandardTransform, VisionDataset


def __getattr__(name):
    raise AttributeError(f"module 'torchvision.datasets' has no attribute '{name}': MNIST and its kin, CIFAR, ImageFolder and "
                         "FakeData are here")
