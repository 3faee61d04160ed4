# torch.ao -- architecture optimisation; of it, quantization.
from torch.ao import quantization
