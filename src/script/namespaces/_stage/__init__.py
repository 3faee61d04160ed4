# _stage -- from source to programs: runs a function of the script, statement by statement, on
# symbolic tensors inside a trace, and turns control flow on values that are not known yet into
# cond, while and scan. torch.jit.script and tf.function stand on it.
#
#   Stage(w, numbers)   w: natives of a front; numbers: how host numbers that become unknown are
#                       kept: "sym" (Sym: Python's arithmetic, TorchScript) or "tensor" (tf)
#   stage.call(f, args, kwargs)   what f gives, inside the current trace
#
# What happens to a statement depends on the value it branches on. Known: Python's way. Unknown:
# both arms, or the body of the loop, are traced on copies of the variables; what they changed is
# joined. An arm that may leave by return, break or continue takes the statements that follow with
# it, up to the end of the loop's body or of the function; so after it nothing is left to be done,
# and the two ends are joined with a code that says how each ended.
#
# Whatever does not fit (a list that grows in a loop, a size that changes, a number needed for a
# shape) raises Refuse: the caller then runs the function in the ordinary way. So a program is
# either right or not made.
#
#   tree        what the source says before it is run
#   number      numbers that are not known
#   state       variables taken apart; trials
#   join, loop  branches and loops as ops
#   statement, expression, builtin      the language
from _stage.expression import Expressions, Frame, Nested, special
from _stage.number import Refuse, Sym
from _stage.tree import Node, assigned, tree_of
import _stage.builtin


class Stage(Expressions):
    def __init__(self, w, numbers="sym", module_call=None, texts=None):
        self.w = w
        self.texts = texts              # of TorchScript: how it writes values (text, braces, percent). Its numbers differ, too: powers of
                                        # ints are floats, as is round(x); a bool is no int; what is divided by 0 is inf
        self.numbers = numbers
        self.module_call = module_call  # object -> function to stage instead of calling it, or None
        self.slots = []                 # [object, name]: attributes that are part of the state
        self.outside = []               # containers that are attributes of what outlives the program
        self.depth = 0
        self.prints = numbers == "sym"  # print is part of the program
