# torch.autograd.gradcheck -- the functions, at hand; what they do is loaded when one is called.
def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, check_forward_ad=False, check_backward_ad=True, **options):
    return __import__("torch.autograd._gradcheck").check(func, inputs, eps, atol, rtol, raise_exception, check_forward_ad, check_backward_ad)


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True,
                  **options):
    if grad_outputs is not None:
        raise NotImplementedError("gradgradcheck: grad_outputs")
    return __import__("torch.autograd._gradcheck").check_twice(func, inputs, eps, atol, rtol, raise_exception)


def __getattr__(name):
    if name != "GradcheckError":
        raise AttributeError(f"module 'torch.autograd.gradcheck' has no attribute '{name}'")
    return __import__("torch.autograd._gradcheck").GradcheckError
