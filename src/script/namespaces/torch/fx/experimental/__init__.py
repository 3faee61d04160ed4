# torch.fx.experimental
