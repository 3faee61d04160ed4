# pytensor.printing -- see aesara.printing.
from aesara.printing import *
