# torch.masked -- tensors of which some elements are not there, and reductions over those that are.
import torch
from torch.masked.maskedtensor import MaskedTensor, masked_tensor, as_masked_tensor, is_masked_tensor
from torch.masked._reduce import (sum, mean, prod, amax, amin, argmax, argmin, norm, var, std, median, cumsum, cumprod, softmax,
                                  log_softmax, softmin, normalize, logsumexp, logaddexp)
