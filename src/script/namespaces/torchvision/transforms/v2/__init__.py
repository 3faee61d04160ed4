# torchvision.transforms.v2 -- the same on samples of any structure: what is a picture in them is changed, the rest left alone.
# A sample of several pictures draws its random numbers once.
import torch
from PIL import Image as _Image
from torch.utils._pytree import tree_flatten as _flatten, tree_unflatten as _unflatten
from torchvision.transforms import transforms as _v1
from torchvision.transforms.transforms import InterpolationMode
from torchvision.transforms.v2 import functional as _F


def _is_picture(x):
    return isinstance(x, _Image.Image) or (isinstance(x, torch.Tensor) and x.ndim >= 3)


class Transform(torch.nn.Module):
    def make_params(self, flat_inputs):
        return {}

    def transform(self, inpt, params):
        raise NotImplementedError

    def forward(self, *inputs):
        sample = inputs if len(inputs) > 1 else inputs[0]
        flat, spec = _flatten(sample)
        chosen = [self._takes(x) for x in flat]
        if not any(chosen):
            return sample
        params = self.make_params([x for x, yes in zip(flat, chosen) if yes])
        return _unflatten([self.transform(x, params) if yes else x for x, yes in zip(flat, chosen)], spec)

    def _takes(self, x):
        return _is_picture(x)

    def extra_repr(self):
        return ""


class _Kept:
    # A transform of v1, its random numbers kept for all pictures of a sample.
    def __init__(self, *args, **kwargs):
        Transform.__init__(self)
        object.__setattr__(self, "_v1", self._of(*args, **kwargs))

    def __getattr__(self, name):
        if name == "_v1":
            raise AttributeError(name)
        return getattr(self._v1, name)

    def forward(self, *inputs):
        sample = inputs if len(inputs) > 1 else inputs[0]
        flat, spec = _flatten(sample)
        pictures = [i for i, x in enumerate(flat) if self._takes(x)]
        state = None
        for k, i in enumerate(pictures):
            if k == 0 and len(pictures) > 1:
                state = torch.get_rng_state()
            elif k > 0:
                torch.set_rng_state(state)
            flat[i] = self._v1(flat[i])
        return _unflatten(flat, spec)

    def __repr__(self):
        return f"{type(self).__name__}({self._v1._shown()})"


def _kept(name):
    class Made(_Kept, Transform):
        _of = getattr(_v1, name)
    Made.__name__ = Made.__qualname__ = name
    return Made


for _name in ("Resize CenterCrop Pad RandomCrop RandomResizedCrop RandomHorizontalFlip RandomVerticalFlip ColorJitter Grayscale "
              "RandomGrayscale RandomRotation RandomAffine RandomPerspective RandomErasing GaussianBlur RandomInvert "
              "RandomPosterize RandomSolarize RandomAdjustSharpness RandomAutocontrast RandomEqualize FiveCrop TenCrop "
              "Normalize").split():
    globals()[_name] = _kept(_name)


class _Each(Transform):
    # of every picture by itself
    def _takes(self, x):
        return _is_picture(x) or isinstance(x, _F.numpy.ndarray)


class ToImage(_Each):
    def transform(self, inpt, params):
        return _F.to_image(inpt)


class PILToTensor(_Each):
    def transform(self, inpt, params):
        return _F.pil_to_tensor(inpt) if isinstance(inpt, _Image.Image) else inpt


class ToTensor(_Each):
    def transform(self, inpt, params):
        return _F.to_tensor(inpt) if not isinstance(inpt, torch.Tensor) else inpt


class ToPILImage(_Each):
    def __init__(self, mode=None):
        super().__init__()
        self.mode = mode

    def transform(self, inpt, params):
        return _F.to_pil_image(inpt, self.mode)


class ToPureTensor(Transform):
    def transform(self, inpt, params):
        return inpt


class ToDtype(Transform):
    def __init__(self, dtype, scale=False):
        super().__init__()
        self.dtype, self.scale = dtype, scale

    def _takes(self, x):
        return isinstance(x, torch.Tensor)

    def transform(self, inpt, params):
        return _F.to_dtype(inpt, self.dtype, self.scale)

    def __repr__(self):
        return f"ToDtype(scale={self.scale})"


class ConvertImageDtype(ToDtype):
    def __init__(self, dtype=torch.float32):
        super().__init__(dtype, True)


class Compose(Transform):
    def __init__(self, transforms):
        super().__init__()
        self.transforms = transforms

    def forward(self, *inputs):
        for t in self.transforms:
            out = t(*inputs)
            inputs = out if len(inputs) > 1 else (out,)
        return out

    def __repr__(self):
        return "Compose(\n" + "".join([f"      {t}\n" for t in self.transforms]) + ")"


class RandomApply(Compose):
    def __init__(self, transforms, p=0.5):
        super().__init__(transforms)
        self.p = p

    def forward(self, *inputs):
        if torch.rand(1) >= self.p:
            return inputs if len(inputs) > 1 else inputs[0]
        return Compose.forward(self, *inputs)


class RandomChoice(Compose):
    def __init__(self, transforms, p=None):
        super().__init__(transforms)
        p = [1] * len(transforms) if p is None else p
        self.p = [x / sum(p) for x in p]

    def forward(self, *inputs):
        return self.transforms[int(torch.multinomial(torch.tensor(self.p), 1))](*inputs)


class RandomOrder(Compose):
    def forward(self, *inputs):
        for i in torch.randperm(len(self.transforms)).tolist():
            out = self.transforms[i](*inputs)
            inputs = out if len(inputs) > 1 else (out,)
        return out


class Lambda(Transform):
    def __init__(self, lambd, *types):
        super().__init__()
        self.lambd, self.types = lambd, types or (object,)

    def _takes(self, x):
        return isinstance(x, self.types)

    def transform(self, inpt, params):
        return self.lambd(inpt)


class Identity(Transform):
    def transform(self, inpt, params):
        return inpt


class _Mixed(Transform):
    # Pictures of a batch with those before them, in the shares of a beta distribution; labels one-hot in the same.
    def __init__(self, *, alpha=1.0, num_classes=None, labels_getter="default"):
        super().__init__()
        if labels_getter != "default":
            raise NotImplementedError("labels_getter: the labels of a sample are its tensor of one axis")
        self.alpha, self.num_classes = float(alpha), num_classes
        self._beta = torch.distributions.Beta(torch.tensor([alpha]), torch.tensor([alpha]))

    def forward(self, *inputs):
        sample = inputs if len(inputs) > 1 else inputs[0]
        flat, spec = _flatten(sample)
        pictures = [x for x in flat if isinstance(x, torch.Tensor) and x.ndim == 4]
        shape = pictures[0].shape
        share = float(self._beta.sample(()))
        images, label_share = self._rule(shape, share)
        out = []
        for x in flat:
            if isinstance(x, torch.Tensor) and x.ndim == 4:
                x = images(x)
            elif isinstance(x, torch.Tensor) and x.ndim in (1, 2):
                if x.ndim == 1:
                    x = torch.nn.functional.one_hot(x, num_classes=self.num_classes)
                x = x if x.is_floating_point() else x.float()
                x = x.roll(1, 0).mul(1.0 - label_share).add(x.mul(label_share))
            out.append(x)
        return _unflatten(out, spec)


class MixUp(_Mixed):
    def _rule(self, shape, share):
        return lambda x: x.roll(1, 0).mul(1.0 - share).add(x.mul(share)), share


class CutMix(_Mixed):
    def _rule(self, shape, share):
        h, w = shape[-2:]
        x, y = int(torch.randint(w, size=(1,))), int(torch.randint(h, size=(1,)))
        r = 0.5 * (1.0 - share) ** 0.5
        rw, rh = int(r * w), int(r * h)
        x1, y1, x2, y2 = max(x - rw, 0), max(y - rh, 0), min(x + rw, w), min(y + rh, h)

        def mixed(image):
            out = image.clone()
            out[..., y1:y2, x1:x2] = image.roll(1, 0)[..., y1:y2, x1:x2]
            return out
        return mixed, float(1.0 - (x2 - x1) * (y2 - y1) / (w * h))
