# Files with names and state: a module in sys.argv[1], a traced function in sys.argv[2].
import sys
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.norm = torch.nn.BatchNorm1d(2)
        with torch.no_grad():
            self.layer.weight.copy_(torch.eye(2))
            self.layer.bias.zero_()

    def forward(self, image, mask):
        return self.norm(self.layer(image)) * mask


def loss(pair, scale):
    return (pair["left"] * pair["right"][0]).sum() * scale


net = torch.jit.script(Net())
net(torch.ones(2, 2), torch.ones(2, 2))
net.norm.reset_running_stats()
torch.jit.save(net, sys.argv[1])
x = torch.ones(3)
torch.jit.save(torch.jit.trace(loss, ({"left": x, "right": [x]}, torch.tensor(2.0))), sys.argv[2])
