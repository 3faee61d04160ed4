# torch.utils.data.sampler
from torch.utils.data import (BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler,
                              WeightedRandomSampler)
