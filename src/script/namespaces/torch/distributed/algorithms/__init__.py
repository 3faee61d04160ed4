# torch.distributed.algorithms -- how gradients travel.
