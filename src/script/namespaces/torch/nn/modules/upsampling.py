# torch.nn.modules.upsampling
from torch.nn.modules.conv import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d
