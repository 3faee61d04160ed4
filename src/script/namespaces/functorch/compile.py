# functorch.compile -- ahead-of-time differentiation with compilers of one's own.
from functorch._graphs import (aot_function, aot_module, aot_module_simplified, make_boxed_func, make_boxed_compiler,
                               boxed_nop, nop, ts_compile, print_compile, default_partition,
                               min_cut_rematerialization_partition, memory_efficient_fusion, default_decompositions,
                               get_decompositions, draw_graph)


def clear_compile_cache():
    pass


class config:
    pass
