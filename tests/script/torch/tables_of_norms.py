# Embeddings whose rows have a largest norm, and gradients by how often a row was asked for.
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
e = nn.Embedding(5, 3, max_norm=1.0); e.weight.data.mul_(3)
i = torch.tensor([[0, 2], [2, 4]])
w = e.weight.detach().clone(); y = e(i); print(y); print(e.weight.detach().norm(dim=1), (w != e.weight).any(1))
(y * 2).sum().backward(); print(e.weight.grad)
e = nn.Embedding(5, 3, scale_grad_by_freq=True, padding_idx=1)
e(torch.tensor([0, 2, 2, 1])).pow(2).sum().backward(); print(e.weight.grad)
W = torch.arange(12.).view(4, 3).t()
print(F.embedding(torch.tensor([0, 2]), W, max_norm=2.0, norm_type=1.0), W)
b = nn.EmbeddingBag(4, 2, max_norm=0.5, mode='sum'); print(b, b(torch.tensor([0, 1, 3]), torch.tensor([0, 2])).detach())
