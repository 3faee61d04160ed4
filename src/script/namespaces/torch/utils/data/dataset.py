# torch.utils.data.dataset
from torch.utils.data import (ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset,
                              random_split)
