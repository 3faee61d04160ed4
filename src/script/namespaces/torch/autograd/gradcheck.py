# torch.autograd.gradcheck -- the functions, at hand; what they do is loaded when one is called.
def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
              check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
              check_backward_ad=True, fast_mode=False, masked=None):
    # fast_mode is a sample of what is compared here in full; masked is of sparse tensors
    assert check_forward_ad or check_backward_ad, "Expected at least one of check_forward_ad or check_backward_ad to be True"
    assert check_backward_ad or not check_batched_grad, "Setting check_batched_grad=True requires check_backward_ad to be True"
    assert check_forward_ad or not check_batched_forward_grad, \
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
    if check_batched_forward_grad:
        raise NotImplementedError("gradcheck: check_batched_forward_grad")
    return __import__("torch.autograd._gradcheck").check(func, inputs, eps, atol, rtol, raise_exception, check_forward_ad, check_backward_ad,
                                                         nondet_tol, check_grad_dtypes, check_batched_grad)


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False):
    if grad_outputs is not None or gen_non_contig_grad_outputs:
        raise NotImplementedError("gradgradcheck: grad_outputs and gen_non_contig_grad_outputs")
    assert check_fwd_over_rev or check_rev_over_rev, "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
    return __import__("torch.autograd._gradcheck").check_twice(func, inputs, eps, atol, rtol, raise_exception, check_fwd_over_rev,
                                                               check_rev_over_rev, nondet_tol, check_grad_dtypes, check_batched_grad)


def __getattr__(name):
    if name != "GradcheckError":
        raise AttributeError(f"module 'torch.autograd.gradcheck' has no attribute '{name}'")
    return __import__("torch.autograd._gradcheck").GradcheckError
