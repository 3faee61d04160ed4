# aesara.compile.io -- inputs and outputs of functions.
from aesara._function import In, Out
