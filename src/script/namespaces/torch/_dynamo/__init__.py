# torch._dynamo -- what torch.compile does with a function: frame (its statements, by programs and by the machine),
# segment (what a program of them reads and holds for), program (how it is made and run).
from torch._compile import BACKENDS
from torch._dynamo import config, exc
from torch.compiler import allow_in_graph, disable, is_compiling, reset


def graph_break(msg=""):
    # The program that is being made ends here.
    pass


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None):
    # Every size has a program of its own, so that no result depends on this; it is written down alone.
    t._dynamo_dynamic_indices = getattr(t, "_dynamo_dynamic_indices", set()) | \
        (set(index) if isinstance(index, (list, tuple)) else {index})


mark_static = maybe_mark_dynamic = mark_unbacked = mark_dynamic


def list_backends(exclude_tags=("debug", "experimental")):
    # Those that give back what they get are there for looking for mistakes.
    return ["inductor"] if "debug" in exclude_tags else sorted(BACKENDS)


def optimize(backend="inductor", *, nopython=False, dynamic=None, disable=False):
    from torch._compile import compile
    return compile(None, backend=backend, fullgraph=nopython, dynamic=dynamic, disable=disable)


class ExplainOutput:
    def __init__(self, runner):
        self.graphs = [s.program for s in runner.graphs]
        self.graph_count = len(self.graphs)
        self.break_reasons = [BreakReason(reason, place) for reason, place in runner.breaks]
        self.graph_break_count = max(self.graph_count - 1, len(self.break_reasons) if not self.graph_count else 0)
        self.op_count = sum([_ops(g) for g in self.graphs])

    def __str__(self):
        lines = [f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}",
                 f"Op Count: {self.op_count}", "Break Reasons:"]
        for i, r in enumerate(self.break_reasons):
            lines += [f"  Break Reason {i + 1}:", f"    Reason: {r.reason}", "    User Stack:",
                      f"      <FrameSummary file {r.place[0]}, line {r.place[1]} in {r.place[2]}>"]
        return "\n".join(lines)

    __repr__ = __str__


class BreakReason:
    def __init__(self, reason, place):
        self.reason = reason
        self.place = place      # (file, line, function)


def _ops(program):
    return len([line for line in program.text().split("\n") if line.find(" = ") > 0])


def explain(f, *args, **kwargs):
    def inner(*args, **kwargs):
        from torch._dynamo.frame import Runner
        runner = Runner(f)
        runner(*args, **kwargs)
        return ExplainOutput(runner)

    return inner(*args, **kwargs) if args or kwargs else inner
