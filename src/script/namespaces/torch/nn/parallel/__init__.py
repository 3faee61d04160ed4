# torch.nn.parallel -- modules of several processes.
from torch.nn.parallel.distributed import DistributedDataParallel
from torch.nn.parallel.data_parallel import DataParallel, data_parallel, gather, parallel_apply, replicate, scatter
