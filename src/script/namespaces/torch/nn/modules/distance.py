# torch.nn.modules.distance
from torch.nn.modules.linear import CosineSimilarity, PairwiseDistance
