# torch.ao -- architecture optimisation; of it, what models of floats name.
