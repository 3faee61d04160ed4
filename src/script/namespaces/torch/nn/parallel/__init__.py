# torch.nn.parallel -- modules of several processes; in a world of one.
from torch.nn.parallel.distributed import DistributedDataParallel
