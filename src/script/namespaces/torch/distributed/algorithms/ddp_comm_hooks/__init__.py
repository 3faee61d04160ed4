# torch.distributed.algorithms.ddp_comm_hooks -- how gradients travel.
