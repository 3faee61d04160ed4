# grad_fn and the functions before it: those that the script called, as PyTorch names them.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x, y = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4)


def shown(loss):
    return loss.grad_fn.name(), [f[0].name() if f[0] is not None else None for f in loss.grad_fn.next_functions]


for red in ("mean", "sum", "none"):
    print(nn.L1Loss(reduction=red)(x, y).grad_fn.name())
    for loss in (nn.MSELoss, nn.SmoothL1Loss, nn.BCEWithLogitsLoss):
        print(loss.__name__, red, *shown(loss(reduction=red)(x, y.abs().clamp(0, 1))))
    print(*shown(nn.BCELoss(reduction=red)(torch.sigmoid(x), y.abs().clamp(0, 1))))
    print(*shown(nn.CrossEntropyLoss(reduction=red)(x, torch.tensor([0, 1, 2]))))
    print(*shown(nn.NLLLoss(reduction=red)(F.log_softmax(x, 1), torch.tensor([0, 1, 2]))))
    print(nn.MarginRankingLoss(reduction=red)(x[:, 0], x[:, 1], torch.ones(3)).grad_fn.name())
    print(nn.TripletMarginLoss(reduction=red)(x, x + 1, x * 3).grad_fn.name())
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(18, 5), nn.ReLU(), nn.Linear(5, 1))
loss = nn.MSELoss()(net(torch.randn(2, 1, 8, 8)), torch.ones(2, 1))
print(loss.grad_fn.next_functions[0][0].name(), loss.grad_fn.next_functions[0][0].next_functions[0][0].name())
g = loss.grad_fn
while g is not None:
    print(g.name())
    g = next((f[0] for f in g.next_functions if f[0] is not None and f[0].next_functions and "TBack" not in f[0].name()), None)
print(repr(loss.grad_fn.next_functions[0][0].next_functions[0][0])[:15], loss.grad_fn.next_functions[0][0].next_functions[0][0].variable.shape)
import numpy as np
print(torch.Tensor(np.array([[1, 2], [3, 4]])), torch.Tensor(np.array([1.5])).dtype, torch.Tensor(torch.tensor([1, 2])).dtype)
