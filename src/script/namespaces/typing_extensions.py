# typing_extensions -- the same names.
from typing import *
from typing import _Form, ReadOnly, TypeIs, deprecated_ as deprecated, override
