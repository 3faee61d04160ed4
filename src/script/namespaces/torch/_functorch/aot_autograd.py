# torch._functorch.aot_autograd
from functorch._graphs import (aot_function, aot_module, aot_module_simplified, make_boxed_func, make_boxed_compiler,
                               default_partition, min_cut_rematerialization_partition)
