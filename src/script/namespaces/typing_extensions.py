# typing_extensions -- the same names.
from typing import *
from typing import _Form, deprecated_ as deprecated
