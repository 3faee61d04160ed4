# PIL.ImageEnhance -- a picture blended with a poorer one of itself.
from PIL import Image, ImageFilter


class _Enhance:
    def enhance(self, factor):
        return Image.blend(self.degenerate, self.image, factor)


class Color(_Enhance):
    def __init__(self, image):
        self.image = image
        self.degenerate = image.convert("LA" if "A" in image.getbands() else "L").convert(image.mode)


class Contrast(_Enhance):
    def __init__(self, image):
        self.image = image
        gray = image.convert("L")._a
        mean = int(float(gray.astype("int64").sum()) / gray.size + 0.5)
        self.degenerate = Image.new("L", image.size, mean).convert(image.mode)
        _keep_alpha(image, self.degenerate)


class Brightness(_Enhance):
    def __init__(self, image):
        self.image = image
        self.degenerate = Image.new(image.mode, image.size, 0)
        _keep_alpha(image, self.degenerate)


class Sharpness(_Enhance):
    def __init__(self, image):
        self.image = image
        self.degenerate = image.filter(ImageFilter.SMOOTH)
        _keep_alpha(image, self.degenerate)


def _keep_alpha(image, other):
    if "A" in image.getbands():
        other.putalpha(image.getchannel("A"))
