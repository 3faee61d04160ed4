# torch.nn._losses -- losses as functions, which torch.nn.functional has.
import math as _math

import _torch as _w
from torch._cast import full as _full
from torch._products import cosine_similarity, pairwise_distance
from torch._types import int64 as _int64


def _old(reduction, size_average, reduce):
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


def _reduced(loss, reduction):
    if reduction == "mean":
        return _w.mean(loss)
    if reduction == "sum":
        return _w.sum(loss)
    if reduction != "none":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss


def _weighted(loss, input, weight, reduction):
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    return _w.sum(loss) / _w.sum(weight) if reduction == "mean" else _reduced(loss, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    reduction = _old(reduction, size_average, reduce)
    if weight is not None:
        return _weighted(_w.mse_loss(input, target, "none"), input, weight, reduction)
    return _w.mse_loss(input, target, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    reduction = _old(reduction, size_average, reduce)
    if weight is not None:
        return _weighted(_w.l1_loss(input, target, "none"), input, weight, reduction)
    return _reduced(_w.label(_w.l1_loss(input, target, "none"), "abs"), reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    reduction = _old(reduction, size_average, reduce)
    if beta == 0:
        return _w.l1_loss(input, target, reduction)
    return _w.smooth_l1_loss(input, target, reduction, beta)


@_full
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    d = _w.abs(input - target)
    loss = _w.where(_w.le(d, delta), 0.5 * d * d, delta * (d - 0.5 * delta))
    if weight is not None:
        if weight.shape != input.shape:
            raise ValueError("Weights and input must have the same size.")
        loss = loss * weight
    return _w.label(_reduced(loss, reduction), "huber_loss")


def _check_classes(input, target):
    if target.dtype.is_floating_point:
        if target.shape != input.shape:
            raise RuntimeError("expected target dtype to be Long or Byte, but got Float")
        return
    if _w.about(target, "symbolic"):
        return
    if input.ndim > 1 and input.shape[0] != target.shape[0]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                         f"({target.shape[0]}).")


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    _check_classes(input, target)
    if not target.dtype.is_floating_point:
        _check_targets(input, target, ignore_index)
    return _w.cross_entropy(input, target, weight, ignore_index, label_smoothing,
                            _old(reduction, size_average, reduce))


def _check_targets(input, target, ignore_index):
    if target.dtype != _int64 and target.dtype != _w.uint8:
        from torch._errors import named
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {named(target.dtype)}")
    n = input.shape[1 if input.ndim > 1 else 0] if input.ndim else 1
    bad = _w.check_index(target, 0, n, ignore_index)
    if bad is not None:
        wrong = IndexError(f"Target {bad} is out of bounds.")
        wrong.detail = f"there are {n} classes"
        raise wrong


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    _check_targets(input, target, ignore_index)
    return _w.nll_loss(input, target, weight, ignore_index, _old(reduction, size_average, reduce))


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) "
                         "is deprecated. Please ensure they have the same size.")
    if not _w.about(input, "symbolic") and not bool(_w.all(_w.logical_and(_w.ge(input, 0), _w.le(input, 1)))):
        raise RuntimeError("all elements of input should be between 0 and 1")
    if weight is None:
        return _w.bce_loss(input, target, reduction)
    return _reduced(_w.bce_loss(input, target, "none") * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    reduction = _old(reduction, size_average, reduce)
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if weight is None and pos_weight is None:
        return _w.bce_with_logits(input, target, reduction)
    if pos_weight is None:
        loss = _w.bce_with_logits(input, target, "none")
    else:
        w = 1 + (pos_weight - 1) * target
        loss = (1 - target) * input + w * _w.softplus(_w.neg(input), 1.0)
    if weight is not None:
        loss = loss * weight
    return _reduced(loss, reduction)


@_full
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    reduction = _old(reduction, size_average, reduce)
    if log_target:
        loss = _w.exp(target) * (target - input)
    elif input.dtype.itemsize > 2:
        loss = _w.label(_w.kl_div(input, target, "none"), "sub")
    else:
        loss = __import__("torch").xlogy(target, target) - target * input
    if reduction == "batchmean":
        return _w.sum(loss) / input.shape[0]
    return _reduced(loss, reduction)


@_full
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None,
                     reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    loss = _w.exp(input) - target * input if log_input else input - target * _w.log(input + eps)
    if full:
        t = _w.where(_w.gt(target, 1), target, 1.0)
        more = t * _w.log(t) - t + 0.5 * _w.log(2 * _math.pi * t)
        loss = loss + _w.where(_w.gt(target, 1), more, 0.0)
    return _reduced(loss, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction="mean"):
    if not isinstance(var, _w.Tensor):
        var = _w.full(input.shape, var, input.dtype)
    if tuple(var.shape) != tuple(input.shape) and var.ndim == input.ndim - 1:
        var = _w.expand_dims(var, -1)
    safe = _w.where(_w.lt(_w.detach(var), eps), var + _w.detach(eps - var), var)
    loss = 0.5 * (_w.log(safe) + (input - target) ** 2 / safe)
    if full:
        loss = loss + 0.5 * _math.log(2 * _math.pi)
    return _reduced(loss, reduction)


@_full
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    loss = _w.where(_w.ne(target, -1), input, 0.0) + _w.where(_w.ne(target, 1), _w.relu(margin - input), 0.0)
    return _reduced(loss, reduction)


@_full
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{input1.shape}, input2: {input2.shape}, target: {target.shape} ")
    return _reduced(_w.label(_w.relu(_w.neg(target) * (input1 - input2) + margin), "clamp_min"), reduction)


@_full
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    return _reduced(_w.log1p(_w.exp(_w.neg(target) * input)), reduction)


@_full
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    c = cosine_similarity(input1, input2, dim=-1)
    return _reduced(_w.where(_w.eq(target, 1), 1 - c, _w.relu(c - margin)), reduction)


@_full
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = _w.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced(_w.label(_w.relu(margin + near - far), "clamp_min"), reduction)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    d = distance_function or pairwise_distance
    near, far = d(anchor, positive), d(anchor, negative)
    if swap:
        far = _w.minimum(far, d(positive, negative))
    return _reduced(_w.label(_w.relu(margin + near - far), "clamp_min"), reduction)


@_full
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    x = input if input.ndim == 2 else _w.expand_dims(input, 0)
    t = _w.reshape(target, (-1, 1))
    own = _w.eq(_w.one_hot(_w.reshape(t, (-1,)), x.shape[1], _int64), 1)
    gap = margin - _w.take_along(x, t, 1) + x
    gap = _w.where(_w.logical_and(_w.logical_not(own), _w.gt(gap, 0)), gap, 0.0) ** p
    if weight is not None:
        gap = gap * _w.expand_dims(_w.take(weight, _w.reshape(t, (-1,)), 0), 1)
    return _reduced(_w.sum(_w.where(own, 0.0, gap), 1) / x.shape[1], reduction)


@_full
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    # Targets are numbers of classes up to the first -1.
    reduction = _old(reduction, size_average, reduce)
    if input.ndim > 2 or input.shape != target.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    x, t = [v if v.ndim == 2 else _w.reshape(v, (1, -1)) for v in (input, target)]
    n = x.shape[1]
    valid = _w.eq(_w.cumsum(_w.cast(_w.lt(t, 0), _int64), 1), 0)
    place = _w.where(valid, t, 0)
    hits = _w.sum(_w.one_hot(place, n, x.dtype) * _w.expand_dims(_w.cast(valid, x.dtype), -1), 1)
    own = _w.gt(hits, 0)
    gap = 1 - _w.expand_dims(_w.take_along(x, place, 1), 2) + _w.expand_dims(x, 1)       # of each target and each class
    counted = _w.logical_and(_w.expand_dims(valid, 2), _w.logical_not(_w.expand_dims(own, 1)))
    loss = _w.sum(_w.where(counted, _w.relu(gap), 0.0), [1, 2]) / n
    return _reduced(loss if input.ndim == 2 else _w.squeeze(loss, 0), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = _old(reduction, size_average, reduce)
    loss = _w.neg(target * _w.log_sigmoid(input) + (1 - target) * _w.log_sigmoid(_w.neg(input)))
    if weight is not None:
        loss = loss * weight
    return _reduced(_w.mean(loss, -1), reduction)


@_full
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    # The forward variables of the alignments, in logarithms, one sample after the other. The gradient takes log_probs for
    # the result of log_softmax, as PyTorch's does: that of the function itself, and the probabilities.
    single = log_probs.ndim == 2
    if single:
        log_probs = _w.expand_dims(log_probs, 1)
        targets = _w.expand_dims(targets, 0)
    as_list = lambda v: v.reshape(-1).tolist() if isinstance(v, _w.Tensor) else [v] if isinstance(v, int) else list(v)
    input_lengths, target_lengths = as_list(input_lengths), as_list(target_lengths)
    losses, at = [], 0
    for b in range(log_probs.shape[1]):
        n = target_lengths[b]
        if targets.ndim == 2:
            labels = targets[b, :n].tolist()
        else:
            labels, at = targets[at:at + n].tolist(), at + n
        logp = log_probs[:input_lengths[b], b]
        p = _w.exp(logp)
        losses.append(_ctc_one(logp, labels, blank) + _w.sum(p - _w.stop_gradient(p)))
    loss = _w.stack(losses, 0)
    if zero_infinity:
        loss = _w.where(_w.is_inf(loss), 0.0, loss)
    if reduction == "mean":
        return _w.mean(loss / _w.clip(_w.tensor(target_lengths, loss.dtype), 1, None))
    return _w.sum(loss) if reduction == "sum" else _w.squeeze(loss, 0) if single else loss


def _ctc_one(logp, labels, blank):
    low = -1e30
    path = [blank]
    for k in labels:
        path += [k, blank]
    s = len(path)
    index = _w.tensor(path, _int64)
    skip = _w.tensor([i >= 2 and path[i] != blank and path[i] != path[i - 2] for i in range(s)])
    start = _w.tensor([i < 2 for i in range(s)])
    rows = _w.take(logp, index, 1)
    alpha = _w.where(start, rows[0], low)
    for t in range(1, logp.shape[0]):
        one = _w.pad(alpha, [1], [0], low)[:s]
        two = _w.where(skip, _w.pad(alpha, [2], [0], low)[:s], low)
        alpha = _w.logsumexp(_w.stack([alpha, one, two], 0), 0) + rows[t]
    loss = _w.neg(_w.logsumexp(alpha[-2:] if s > 1 else alpha, 0))
    return _w.where(loss > -0.5 * low, _math.inf, loss)     # the steps are too few for the labels


for _f in [f for n, f in list(globals().items()) if n[0] != "_" and getattr(f, "__module__", "") == __name__]:
    _f.__module__ = "torch.nn.functional"
