# torch._functorch -- where newer code finds ahead-of-time differentiation.
