# torch.nn.modules.channelshuffle
from torch.nn.modules.conv import ChannelShuffle
