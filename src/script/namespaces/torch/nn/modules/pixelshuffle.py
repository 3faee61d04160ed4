# torch.nn.modules.pixelshuffle
from torch.nn.modules.conv import PixelShuffle, PixelUnshuffle
