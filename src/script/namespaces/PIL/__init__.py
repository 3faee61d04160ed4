# PIL -- pictures in memory and in files: PNG, JPEG, PNM; as far as data sets and transforms need them.
__version__ = "13.0.0"


class UnidentifiedImageError(OSError):
    pass
