"""Anomaly detection: a nan in backward is an error while it is on."""
import warnings
import torch

warnings.simplefilter("ignore")


def nan():
    x = torch.zeros(2, requires_grad=True)
    try:
        (x.sqrt() * 0).sum().backward()
        return bool(x.grad.isnan().all())
    except RuntimeError as e:
        return "returned nan values" in str(e)


print(nan())
with torch.autograd.detect_anomaly():
    try:
        x = torch.zeros(2, requires_grad=True)
        (x.sqrt() * 0).sum().backward()
        print("no error")
    except RuntimeError as e:
        print("returned nan values in" in str(e))
    torch.ones(2, requires_grad=True).exp().sum().backward()
x = torch.zeros(1, requires_grad=True)
(x.sqrt() * 0).sum().backward()
print(x.grad)
torch.autograd.set_detect_anomaly(True)
try:
    (x.sqrt() * 0).sum().backward()
    print("no error")
except RuntimeError as e:
    print("returned nan values in" in str(e))
torch.autograd.set_detect_anomaly(False)
(x.sqrt() * 0).sum().backward()
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    (x.sqrt() * 0).sum().backward()
print("end")
