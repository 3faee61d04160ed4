# torch.nn.modules.sparse
from torch.nn.modules.linear import Embedding, EmbeddingBag
