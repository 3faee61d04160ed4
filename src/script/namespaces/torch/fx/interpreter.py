# torch.fx.interpreter
from torch.fx._trace import Interpreter, Transformer
