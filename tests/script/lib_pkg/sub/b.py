from .. import late
from ..late import x as y


def g():
    return f"g{late.x}{y} {__name__} {__package__}"
