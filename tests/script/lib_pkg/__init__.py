"""A package of several files."""
from .a import f
from . import sub

__all__ = ["f", "late"]
hidden = 1
