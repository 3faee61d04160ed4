# tensorflow._images -- colours, measures, boxes and random changes of images, for tensorflow.image.
import math as _math

import _tf as _w
from tensorflow._base import op as _op, as_tensor as _as_tensor, float32 as _float32


def _image_module():
    return __import__("tensorflow.image")


# ---- colours

def _mixed(name, kernel):
    # each colour a sum of the three of another space
    def convert(images):
        x = _as_tensor(images)
        return _w.tensordot(x, _w.tensor(kernel, x.dtype), [x.ndim - 1], [0])
    return _op(name)(convert)


rgb_to_yiq = _mixed("rgb_to_yiq", [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])
yiq_to_rgb = _mixed("yiq_to_rgb", [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]])
rgb_to_yuv = _mixed("rgb_to_yuv", [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]])
yuv_to_rgb = _mixed("yuv_to_rgb", [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])


def _channels(x):
    return [_w.squeeze(_w.narrow(x, x.ndim - 1, k, 1), -1) for k in range(3)]


def _to_hsv(x):
    r, g, b = _channels(x)
    top, low = _w.max(x, -1), _w.min(x, -1)
    spread = top - low
    flat = _w.eq(spread, 0)
    safe = _w.where(flat, 1.0, spread)
    hue = _w.where(_w.eq(top, r), (g - b) / safe / 6, _w.where(_w.eq(top, g), (b - r) / safe / 6 + 1 / 3, (r - g) / safe / 6 + 2 / 3))
    hue = _w.where(flat, 0.0, _w.where(_w.lt(hue, 0), hue + 1, hue))
    return _w.stack([hue, _w.where(_w.gt(top, 0), spread / _w.where(_w.gt(top, 0), top, 1.0), 0.0), top], -1)


def _from_hsv(x):
    h, s, v = _channels(x)
    chroma = s * v
    parts = (_w.abs(h * 6 - 3) - 1, 2 - _w.abs(h * 6 - 2), 2 - _w.abs(h * 6 - 4))
    return _w.stack([_w.clip(p, 0.0, 1.0) * chroma + (v - chroma) for p in parts], -1)


rgb_to_hsv = _op("RGBToHSV")(lambda images: _to_hsv(_as_tensor(images)))
hsv_to_rgb = _op("HSVToRGB")(lambda images: _from_hsv(_as_tensor(images)))


@_op("adjust_hue")
def adjust_hue(image, delta):
    module, x = _image_module(), _as_tensor(image)
    if not -1 <= float(delta) <= 1:
        raise __import__("tensorflow.errors").InvalidArgumentError(None, None, "delta must be in the interval [-1, 1]")
    hsv = _to_hsv(module._as_float(x))
    h, s, v = _channels(hsv)
    h = h + delta
    return module._back(_from_hsv(_w.stack([h - _w.floor(h), s, v], -1)), x.dtype)


@_op("adjust_saturation")
def adjust_saturation(image, saturation_factor):
    module, x = _image_module(), _as_tensor(image)
    h, s, v = _channels(_to_hsv(module._as_float(x)))
    return module._back(_from_hsv(_w.stack([h, _w.clip(s * saturation_factor, 0.0, 1.0), v], -1)), x.dtype)


# ---- measures

@_op("psnr")
def psnr(a, b, max_val):
    module = _image_module()
    x, y = [module.convert_image_dtype(v, _float32) for v in (a, b)]
    peak = module.convert_image_dtype(_w.tensor(max_val, _as_tensor(a).dtype), _float32)
    mse = _w.mean((x - y) * (x - y), [-3, -2, -1])
    return 20 * _w.log(peak) / _math.log(10.0) - 10 / _math.log(10.0) * _w.log(mse)


def _gauss(size, sigma):
    row = [-0.5 * (k - (size - 1) / 2) ** 2 / sigma ** 2 for k in range(size)]
    grid = [[_math.exp(a + b) for b in row] for a in row]
    total = sum([sum(r) for r in grid])
    return [[v / total for v in r] for r in grid]


def _ssim_parts(x, y, peak, size, sigma, k1, k2):
    # (similarity with the luminance, without it) at each place where the window fits, [.., channels]
    lead = list(x.shape)[:-3]
    h, w, c = list(x.shape)[-3:]
    if h < size or w < size:
        raise ValueError(f"ssim: images of at least {size} by {size}, got {h} by {w}")
    kernel = _w.reshape(_w.tensor(_gauss(size, sigma), x.dtype), (1, 1, size, size))

    def blurred(z):
        z = _w.permute(_w.reshape(z, [-1, h, w, c]), (0, 3, 1, 2))
        z = _w.conv(_w.reshape(z, (-1, 1, h, w)), kernel, None, 2, 1, 0, 1, 1)
        return _w.permute(_w.reshape(z, (-1, c, h - size + 1, w - size + 1)), (0, 2, 3, 1))

    c1, c2 = (k1 * peak) ** 2, (k2 * peak) ** 2
    a, b = blurred(x), blurred(y)
    product, squares = a * b * 2, a * a + b * b
    light = (product + c1) / (squares + c1)
    cross, powers = blurred(x * y) * 2, blurred(x * x + y * y)
    form = (cross - product + c2) / (powers - squares + c2)
    whole = _w.mean(light * form, [1, 2])
    return _w.reshape(whole, lead + [c]), _w.reshape(_w.mean(form, [1, 2]), lead + [c])


def _both(img1, img2, max_val):
    module = _image_module()
    peak = module.convert_image_dtype(_w.tensor(max_val, _as_tensor(img1).dtype), _float32)
    return module.convert_image_dtype(img1, _float32), module.convert_image_dtype(img2, _float32), peak


@_op("ssim")
def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    if return_index_map:
        raise NotImplementedError("ssim: return_index_map is outside this version")
    x, y, peak = _both(img1, img2, max_val)
    return _w.mean(_ssim_parts(x, y, peak, filter_size, filter_sigma, k1, k2)[0], -1)


@_op("ssim_multiscale")
def ssim_multiscale(img1, img2, max_val, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11,
                    filter_sigma=1.5, k1=0.01, k2=0.03):
    x, y, peak = _both(img1, img2, max_val)
    parts = []
    for i in range(len(power_factors)):
        if i:
            x, y = [_halved(v) for v in (x, y)]
        whole, form = _ssim_parts(x, y, peak, filter_size, filter_sigma, k1, k2)
        parts.append(_w.relu(form))
    parts[-1] = _w.relu(whole)
    total = 1.0
    for part, power in zip(parts, power_factors):
        total = total * _w.pow(part, power)
    return _w.mean(total, -1)


def _halved(x):
    # means of two by two; the last row and column count twice where the number is odd
    lead = list(x.shape)[:-3]
    x = _w.reshape(x, [-1] + list(x.shape)[-3:])
    for axis in (1, 2):
        n = x.shape[axis]
        if n % 2:
            x = _w.concat([x, _w.narrow(x, axis, n - 1, 1)], axis)
    n, h, w, c = x.shape
    x = _w.mean(_w.reshape(x, (n, h // 2, 2, w // 2, 2, c)), [2, 4])
    return _w.reshape(x, lead + list(x.shape)[1:])


@_op("total_variation")
def total_variation(images):
    x = _as_tensor(images)
    axes = [-3, -2, -1]
    down = _w.sum(_w.abs(x[..., 1:, :, :] - x[..., :-1, :, :]), axes)
    return down + _w.sum(_w.abs(x[..., :, 1:, :] - x[..., :, :-1, :]), axes)


def image_gradients(image):
    x = _as_tensor(image)
    if x.ndim != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {x.shape}.")
    dy, dx = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
    return _w.pad(dy, [0] * 4, [0, 1, 0, 0], 0), _w.pad(dx, [0] * 4, [0, 0, 1, 0], 0)


@_op("sobel_edges")
def sobel_edges(image):
    x = _as_tensor(image)
    h, w, c = x.shape[1:]
    flat = _w.reshape(_w.permute(x, (0, 3, 1, 2)), (-1, 1, h, w))
    down = _w.concat([flat[:, :, 1:2], flat, flat[:, :, h - 2:h - 1]], 2)
    both = _w.concat([down[..., 1:2], down, down[..., w - 2:w - 1]], 3)
    kernels = _w.tensor([[[[-1.0, -2, -1], [0, 0, 0], [1, 2, 1]]], [[[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]]], x.dtype)
    y = _w.conv(both, kernels, None, 2, 1, 0, 1, 1)
    return _w.permute(_w.reshape(y, (x.shape[0], c, 2, h, w)), (0, 3, 4, 1, 2))


# ---- sizes

@_op("pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    x = _image_module()._image(image)
    axis = x.ndim - 3
    h, w = x.shape[axis], x.shape[axis + 1]
    for value, what in ((offset_height, "offset_height must be >= 0"), (offset_width, "offset_width must be >= 0"),
                        (target_width - offset_width - w, "width must be <= target - offset"),
                        (target_height - offset_height - h, "height must be <= target - offset")):
        if value < 0:
            raise ValueError(what)
    low, high = [0] * x.ndim, [0] * x.ndim
    low[axis], low[axis + 1] = offset_height, offset_width
    high[axis], high[axis + 1] = target_height - offset_height - h, target_width - offset_width - w
    return _w.pad(x, low, high, 0)


def resize_with_crop_or_pad(image, target_height, target_width):
    module, x = _image_module(), _image_module()._image(image)
    h, w = x.shape[-3], x.shape[-2]
    down, across = target_height - h, target_width - w
    x = module.crop_to_bounding_box(x, max(-down // 2, 0), max(-across // 2, 0), min(target_height, h), min(target_width, w))
    return pad_to_bounding_box(x, max(down // 2, 0), max(across // 2, 0), target_height, target_width)


def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    module, x = _image_module(), _image_module()._image(image)
    h, w = x.shape[-3], x.shape[-2]
    ratio = max(h / target_height, w / target_width)
    p, q = h / ratio, w / ratio
    y = module.resize(x, (int(p), int(q)), method, antialias=antialias)
    return pad_to_bounding_box(y, max(int((target_height - p) / 2), 0), max(int((target_width - q) / 2), 0), target_height, target_width)


@_op("CropAndResize")
def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0):
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be bilinear or nearest, got {method}")
    x = _w.cast(_as_tensor(image), _float32)
    places, owners = _as_tensor(boxes), _w.cast(_as_tensor(box_indices), "int64")
    p, q = [int(v) for v in crop_size]
    h, w = x.shape[1], x.shape[2]

    def lines(first, last, n, size):
        a, b = _w.expand_dims(places[:, first], 1), _w.expand_dims(places[:, last], 1)
        if n > 1:
            at = a * (size - 1) + _w.reshape(_w.arange(0, n, 1, _float32), (1, n)) * ((b - a) * (size - 1) / (n - 1))
        else:
            at = 0.5 * (a + b) * (size - 1)
        return at, _w.logical_and(_w.ge(at, 0), _w.le(at, size - 1))

    (ys, in_y), (xs, in_x) = lines(0, 2, p, h), lines(1, 3, q, w)
    own = _w.take(x, owners, 0)

    def pick(rows, columns):
        n = own.shape[0]
        rows, columns = [_w.cast(_w.clip(v, 0.0, top), "int64") for v, top in ((rows, h - 1.0), (columns, w - 1.0))]
        flat = _w.reshape(_w.expand_dims(rows, 2) * w + _w.expand_dims(columns, 1), (n, p * q, 1))
        values = _w.take_along(_w.reshape(own, (n, h * w, -1)), _w.broadcast_to(flat, (n, p * q, own.shape[3])), 1)
        return _w.reshape(values, (n, p, q, own.shape[3]))

    if method == "nearest":
        out = pick(_w.floor(ys + 0.5), _w.floor(xs + 0.5))
    else:
        top, left = _w.floor(ys), _w.floor(xs)
        fy, fx = [_w.expand_dims(_w.expand_dims(v, a), 3) for v, a in ((ys - top, 2), (xs - left, 1))]
        upper = pick(top, left) * (1 - fx) + pick(top, left + 1) * fx
        lower = pick(top + 1, left) * (1 - fx) + pick(top + 1, left + 1) * fx
        out = upper * (1 - fy) + lower * fy
    inside = _w.logical_and(_w.expand_dims(in_y, 2), _w.expand_dims(in_x, 1))
    return _w.where(_w.expand_dims(inside, 3), out, float(extrapolation_value))


# ---- boxes

def _overlap(a, b):
    # of two boxes [y1, x1, y2, x2], corners in any order
    ay, ax, by, bx = min(a[0], a[2]), min(a[1], a[3]), min(b[0], b[2]), min(b[1], b[3])
    ay2, ax2, by2, bx2 = max(a[0], a[2]), max(a[1], a[3]), max(b[0], b[2]), max(b[1], b[3])
    area, other = (ay2 - ay) * (ax2 - ax), (by2 - by) * (bx2 - bx)
    if area <= 0 or other <= 0:
        return 0.0
    common = max(0.0, min(ay2, by2) - max(ay, by)) * max(0.0, min(ax2, bx2) - max(ax, bx))
    return common / (area + other - common)


def _suppressed(overlap, scores, most, threshold, least):
    # the best first, those that overlap one of them left out
    order = sorted([i for i in range(len(scores)) if scores[i] > least], key=lambda i: -scores[i])
    kept = []
    for i in order:
        if len(kept) >= most:
            break
        if all([overlap(i, k) <= threshold for k in kept]):
            kept.append(i)
    return _w.tensor(kept, "int32") if kept else _w.full((0,), 0, "int32")


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf")):
    at = _as_tensor(boxes).tolist()
    return _suppressed(lambda i, k: _overlap(at[i], at[k]), _as_tensor(scores).tolist(), int(max_output_size), float(iou_threshold),
                       float(score_threshold))


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf")):
    table = _as_tensor(overlaps).tolist()
    return _suppressed(lambda i, k: table[i][k], _as_tensor(scores).tolist(), int(max_output_size), float(overlap_threshold),
                       float(score_threshold))
