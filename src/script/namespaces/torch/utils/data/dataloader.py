# torch.utils.data.dataloader
from torch.utils.data import DataLoader, default_collate, default_convert, get_worker_info
