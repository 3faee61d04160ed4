# torch.version
cuda = None
hip = None
