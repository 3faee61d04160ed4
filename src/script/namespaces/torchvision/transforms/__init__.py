# torchvision.transforms -- pictures and tensors changed, with the library's order of random numbers.
import os as _os

import torchvision as _tv
from torchvision.transforms.transforms import *

__path__ = [_os.path.join(_p, "transforms") for _p in _tv.__path__]
