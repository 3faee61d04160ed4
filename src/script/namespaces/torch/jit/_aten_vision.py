# torch.jit._aten_vision -- torchvision's operators, which scripted detectors call.
import torch


def nms(boxes, scores, iou_threshold):
    # The best box that is left is kept, and those that overlap it are left no more.
    order = torch.sort(scores, descending=True, stable=True)[1]
    x1, y1, x2, y2 = boxes[order].unbind(1)
    areas = (x2 - x1) * (y2 - y1)
    left = torch.ones_like(scores, dtype=torch.bool)
    kept = []
    while bool(left.any()):
        i = int(left.int().argmax())
        kept.append(i)
        inter = ((torch.minimum(x2, x2[i]) - torch.maximum(x1, x1[i])).clamp(min=0) *
                 (torch.minimum(y2, y2[i]) - torch.maximum(y1, y1[i])).clamp(min=0))
        left = left & ~(inter / (areas + areas[i] - inter) > iou_threshold)
        left[i] = False
    return order[torch.tensor(kept, dtype=torch.int64)]


def _between(at, size):
    # Of places [K, bins, n] the neighbours below and above, the weight of the one above, and which are inside.
    inside = (at >= -1) & (at <= size)
    at = at.clamp(min=0)
    low = at.floor().clamp(max=size - 1)
    high = (low + 1).clamp(max=size - 1)
    part = torch.where(low >= size - 1, torch.zeros_like(at), at - low)
    return low.long(), high.long(), part, inside


def _samples(start, size, bins, n):
    # [K, bins, n]: n places in each bin of each box.
    step = (size / bins)[:, None, None]
    bin, at = torch.arange(bins, dtype=start.dtype), (torch.arange(n, dtype=start.dtype) + 0.5) / n
    return start[:, None, None] + bin[None, :, None] * step + at[None, None, :] * step


def _align(feat, batch, ys, xs):
    # feat [N,H,W,C], places [K,ph,n] and [K,pw,m] -> [K,C,ph,pw]: the mean of what is between the neighbours
    (y0, y1, fy, iny), (x0, x1, fx, inx) = _between(ys, feat.shape[1]), _between(xs, feat.shape[2])
    batch = batch[:, None, None, None, None]
    sums = 0
    for y, wy in ((y0, 1 - fy), (y1, fy)):
        for x, wx in ((x0, 1 - fx), (x1, fx)):
            w = (wy * iny)[:, :, :, None, None] * (wx * inx)[:, None, None, :, :]
            sums = sums + feat[batch, y[:, :, :, None, None], x[:, None, None, :, :]] * w[..., None]
    return sums.mean((2, 4)).permute(0, 3, 1, 2)


def roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
    ends = rois[:, 1:] * spatial_scale - (0.5 if aligned else 0.0)
    size = ends[:, 2:] - ends[:, :2]
    if not aligned:
        size = size.clamp(min=1)
    feat, out = input.permute(0, 2, 3, 1), []
    some = 64 if sampling_ratio > 0 else 1          # boxes at a time
    for k in range(0, rois.shape[0], some):
        e, s, batch = ends[k:k + some], size[k:k + some], rois[k:k + some, 0].long()
        ny = nx = sampling_ratio
        if sampling_ratio <= 0:                     # as many as a bin has pixels
            ny, nx = int((s[0, 1] / pooled_height).ceil()), int((s[0, 0] / pooled_width).ceil())
            if ny <= 0 or nx <= 0:
                out.append(input.new_zeros(1, input.shape[1], pooled_height, pooled_width))
                continue
        out.append(_align(feat, batch, _samples(e[:, 1], s[:, 1], pooled_height, ny), _samples(e[:, 0], s[:, 0], pooled_width, nx)))
    return torch.cat(out) if out else input.new_zeros(0, input.shape[1], pooled_height, pooled_width)
