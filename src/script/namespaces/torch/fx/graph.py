# torch.fx.graph -- a function as a list of nodes, and as text.
import operator as _operator
import re as _re

_MAGIC = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}", "mod": "{} % {}",
          "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}",
          "getitem": "{}[{}]", "matmul": "{} @ {}", "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}",
          "le": "{} <= {}", "ge": "{} >= {}", "neg": "-{}", "invert": "~{}", "pos": "+{}"}
names_of = {}       # id of a function: its name with the module's, as it was traced


def qualified(target):
    known = names_of.get(id(target))
    if known is not None:
        return known
    name = getattr(target, "__name__", str(target))
    for op in _MAGIC:
        if getattr(_operator, op) is target:
            return "_operator." + op
    if target is getattr:
        return "builtins.getattr"
    import torch
    if getattr(torch, name, None) is target:
        return "torch." + name
    if getattr(torch.nn.functional, name, None) is target:
        return "torch.nn.functional." + name
    module = getattr(target, "__module__", None) or "builtins"
    if module.startswith("torch._ops."):
        return f"torch.ops.{module[11:]}.{name}"
    return name if module == "builtins" else f"{module.replace('.', '_')}_{name}"


# functions of torch.nn.functional that stand elsewhere in the library
_ELSEWHERE = {n: "torch._C._nn." + n for n in "gelu linear softplus avg_pool2d avg_pool3d one_hot scaled_dot_product_attention".split()}
_ELSEWHERE.update({n: "torch." + n for n in ("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d avg_pool1d "
                                             "bilinear pixel_shuffle pixel_unshuffle channel_shuffle prelu celu_ selu_").split()})


def named(module, name):
    # as the library names it in code
    return _ELSEWHERE.get(name, f"{module}.{name}") if module == "torch.nn.functional" else f"{module}.{name}"


def map_aggregate(a, fn):
    if isinstance(a, tuple):
        t = [map_aggregate(x, fn) for x in a]
        return tuple(t) if not hasattr(a, "_fields") else type(a)(*t)
    if isinstance(a, list):
        return [map_aggregate(x, fn) for x in a]
    if isinstance(a, dict):
        return {k: map_aggregate(v, fn) for k, v in a.items()}
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a, fn):
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


class Node:
    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users, self.meta, self._args, self._kwargs = {}, {}, (), {}
        self._set(tuple(args), dict(kwargs))

    def _set(self, args, kwargs):
        for n in self.all_input_nodes:
            n.users.pop(self, None)
        self._args, self._kwargs = args, kwargs
        for n in self.all_input_nodes:
            n.users[self] = None

    @property
    def args(self):
        return self._args

    @args.setter
    def args(self, a):
        self._set(tuple(a), self._kwargs)

    @property
    def kwargs(self):
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k):
        self._set(self._args, dict(k))

    @property
    def all_input_nodes(self):
        out = []
        map_arg((self._args, self._kwargs), lambda n: out.append(n) if n not in out else None)
        return out

    @property
    def next(self):
        at = self.graph._list.index(self)
        return self.graph._list[at + 1] if at + 1 < len(self.graph._list) else self.graph._root

    @property
    def prev(self):
        at = self.graph._list.index(self)
        return self.graph._list[at - 1] if at else self.graph._root

    def append(self, x):
        self.graph._move(x, self.graph._list.index(self) + 1)

    def prepend(self, x):
        self.graph._move(x, self.graph._list.index(self))

    def update_arg(self, idx, arg):
        args = list(self._args)
        args[idx] = arg
        self.args = args

    def update_kwarg(self, key, arg):
        self.kwargs = dict(self._kwargs, **{key: arg})

    def replace_all_uses_with(self, replace_with, delete_user_cb=lambda user: True):
        done = []
        for user in list(self.users):
            if delete_user_cb(user):
                user.replace_input_with(self, replace_with)
                done.append(user)
        return done

    def replace_input_with(self, old_input, new_input):
        def new(n):
            return new_input if n is old_input else n
        self._set(map_arg(self._args, new), map_arg(self._kwargs, new))

    def is_impure(self):
        return self.op in ("placeholder", "output")

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return self.name

    def _pretty(self):
        return self.target if isinstance(self.target, str) else qualified(self.target).replace("_operator.", "operator.")

    def format_node(self):
        if self.op == "placeholder":
            default = f"(default={self._args[0]})" if self._args else ""
            return f"%{self.name} : [num_users={len(self.users)}] = placeholder[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"%{self.name} : [num_users={len(self.users)}] = get_attr[target={self.target}]"
        if self.op == "output":
            return f"return {_shown(self._args[0], False)}"
        return (f"%{self.name} : [num_users={len(self.users)}] = {self.op}[target={self._pretty()}](args = {_shown(self._args)}, "
                f"kwargs = {_shown(self._kwargs)})")


def _shown(a, percent=True):
    if isinstance(a, Node):
        return ("%" if percent else "") + a.name
    if isinstance(a, tuple):
        return "(" + ", ".join([_shown(x, percent) for x in a]) + ("," if len(a) == 1 else "") + ")"
    if isinstance(a, list):
        return "[" + ", ".join([_shown(x, percent) for x in a]) + "]"
    if isinstance(a, dict):
        return "{" + ", ".join([f"{k}: {_shown(v, percent)}" for k, v in a.items()]) + "}"
    if isinstance(a, slice):
        return f"slice({_shown(a.start, percent)}, {_shown(a.stop, percent)}, {_shown(a.step, percent)})"
    return a if isinstance(a, str) and percent else repr(a)


_KEYWORDS = ("and as assert break class continue def del elif else except finally for from global if import in is lambda not or pass "
             "raise return try while with yield None True False abs all any bool dict float int len list max min range set str sum "
             "tuple type getattr setattr print input").split()


class _Nodes(list):
    pass


class Graph:
    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self._list, self._used, self.owning_module, self._at = [], {}, owning_module, None
        self._tracer_cls, self._extras = tracer_cls, tracer_extras
        self._root = Node(self, "", "root", "", (), {})

    @property
    def nodes(self):
        return _Nodes(self._list)

    def find_nodes(self, *, op, target=None, sort=True):
        return [n for n in self._list if n.op == op and (target is None or n.target == target)]

    def _name(self, hint):
        base = _re.sub("[^0-9a-zA-Z_]+", "_", hint) or "_"
        base = "_" + base if base[0].isdigit() else base
        m = _re.match("(.*)_([0-9]+)$", base)
        stem, k = (m.group(1), int(m.group(2))) if m else (base, None)
        name = base
        if name in self._used or (name in _KEYWORDS):
            k = (k or 0)
            while name in self._used or name in _KEYWORDS:
                k += 1
                name = f"{stem}_{k}"
        self._used[name] = True
        return name

    def _hint(self, op, target):
        if isinstance(target, str):
            text = target.split(".")[-1] if op == "call_method" else target
        else:
            text = getattr(target, "__name__", "fn")
        if text[:2] == text[-2:] == "__" and len(text) > 4:
            text = text[2:-2]
        text = text.replace(".", "_")
        return _re.sub("([a-z0-9])([A-Z])", r"\1_\2", text).lower() if op != "placeholder" else text

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        n = Node(self, self._name(name or self._hint(op, target)), op, target, args or (), kwargs or {}, type_expr)
        if self._at is None:
            self._list.append(n)
        else:
            self._list.insert(self._at[0], n)
            self._at[0] += 1
        return n

    def placeholder(self, name, type_expr=None, default_value=Node):
        return self.create_node("placeholder", name, () if default_value is Node else (default_value,), {}, name.lstrip("*"), type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        return self.create_node("call_method", method_name, args, kwargs, None, type_expr)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        return self.create_node("call_module", module_name, args, kwargs, None, type_expr)

    def output(self, result, type_expr=None):
        return self.create_node("output", "output", (result,), {}, None, type_expr)

    def output_node(self):
        return [n for n in self._list if n.op == "output"][0]

    def erase_node(self, to_erase):
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!")
        to_erase._set((), {})
        at = self._list.index(to_erase)
        self._list.pop(at)
        if self._at is not None and at < self._at[0]:
            self._at[0] -= 1

    def _move(self, x, at):
        old = self._list.index(x)
        self._list.pop(old)
        self._list.insert(at - (1 if old < at else 0), x)

    def inserting_before(self, n=None):
        return _Inserting(self, len(self._list) if n is None else self._list.index(n))

    def inserting_after(self, n=None):
        return _Inserting(self, 0 if n is None else self._list.index(n) + 1)

    def node_copy(self, node, arg_transform=lambda x: x):
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        new = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        new.meta = dict(node.meta)
        return new

    def graph_copy(self, g, val_map, return_output_node=False):
        for n in g.nodes:
            if n in val_map:
                continue
            if n.op == "output":
                out = map_arg(n.args[0], lambda x: val_map[x])
                return (out, n) if return_output_node else out
            val_map[n] = self.node_copy(n, lambda x: val_map[x])
        return None

    def eliminate_dead_code(self, is_impure_node=None):
        changed = False
        for n in self._list[::-1]:
            impure = n.is_impure() if is_impure_node is None else is_impure_node(n)
            if not impure and not n.users:
                self.erase_node(n)
                changed = True
        return changed

    def lint(self):
        seen = set()
        for n in self._list:
            for i in n.all_input_nodes:
                if i not in seen:
                    raise RuntimeError(f"Argument '{i}' of Node '{n}' was used before it has been defined! Please check that Nodes "
                                       "in the graph are topologically ordered")
            seen.add(n)

    def print_tabular(self):
        rows = [[n.op, n.name, str(n.target) if isinstance(n.target, str) else n._pretty(), str(n.args), str(n.kwargs)] for n in self._list]
        head = ["opcode", "name", "target", "args", "kwargs"]
        w = [max([len(r[i]) for r in rows + [head]]) for i in range(5)]
        for r in [head, ["-" * k for k in w]] + rows:
            print("  ".join([c.ljust(k) for c, k in zip(r, w)]).rstrip())

    def __str__(self):
        inputs = [n for n in self._list if n.op == "placeholder"]
        return "graph():\n    " + "\n    ".join([n.format_node() for n in inputs + [n for n in self._list if n.op != "placeholder"]])

    __repr__ = __str__

    def python_code(self, root_module="self"):
        # each value is dropped after its last use, as the library writes it
        last, inputs, body = {}, [], []
        for n in self._list[::-1]:
            for i in n.all_input_nodes:
                if i not in last:
                    last[i] = n
        for n in self._list:
            if n.op == "placeholder":
                inputs.append(n.target + (f" = {n.args[0]!r}" if n.args else ""))
                if n.name != n.target.lstrip("*"):
                    body.append(f"{n.name} = {n.target}")
                continue
            if n.op == "output":
                body.append(f"return {_code(n.args[0])}")
                continue
            line = f"{n.name} = {self._call(n, root_module)}"
            dead = [i.name for i in n.all_input_nodes if last[i] is n]
            if not n.users:
                dead.append(n.name)
            if dead:
                line += ";  " + " = ".join(dead) + " = None"
            body.append(line)
        wrapped = [qualified(n.target) for n in self._list if n.op == "call_function" and getattr(n.target, "__module__", "") == "__main__"]
        head = "".join([f'torch.fx._symbolic_trace.wrap("{name}")\n' for name in dict.fromkeys(wrapped)])
        text = ("\n" + head if head else "\n\n") + "\ndef forward(" + ", ".join([root_module] + inputs) + "):\n    " + "\n    ".join(body or ["pass"]) + "\n    "
        return PythonCode(text, {})

    def _call(self, n, root):
        args = ", ".join([_code(a) for a in n.args] + [f"{k} = {_code(v)}" for k, v in n.kwargs.items()])
        if n.op == "get_attr":
            return f"{root}.{n.target}"
        if n.op == "call_module":
            parts = n.target.split(".")
            path = root
            for p in parts:
                path = f"{path}.{p}" if p.isidentifier() else f'getattr({path}, "{p}")'
            return f"{path}({args})"
        if n.op == "call_method":
            return f"{_code(n.args[0])}.{n.target}(" + ", ".join([_code(a) for a in n.args[1:]] + [f"{k} = {_code(v)}" for k, v in n.kwargs.items()]) + ")"
        name = qualified(n.target)
        op = name.rpartition(".")[2]
        if name.startswith("_operator.") and op in _MAGIC:
            return _MAGIC[op].format(*[_code(a) for a in n.args])
        if n.target is getattr and isinstance(n.args[1], str) and n.args[1].isidentifier():
            return f"{_code(n.args[0])}.{n.args[1]}"
        return f"{name}({args})"


def _code(a):
    if isinstance(a, Node):
        return a.name
    if isinstance(a, tuple):
        return "(" + ", ".join([_code(x) for x in a]) + ("," if len(a) == 1 else "") + ")"
    if isinstance(a, list):
        return "[" + ", ".join([_code(x) for x in a]) + "]"
    if isinstance(a, dict):
        return "{" + ", ".join([f"{k!r}: {_code(v)}" for k, v in a.items()]) + "}"
    if isinstance(a, slice):
        return f"slice({_code(a.start)}, {_code(a.stop)}, {_code(a.step)})"
    return repr(a)


class PythonCode:
    def __init__(self, src, globals):
        self.src, self.globals = src, globals


class _Inserting:
    def __init__(self, graph, at):
        self.graph, self.old = graph, graph._at
        graph._at = [at]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.graph._at = self.old
        return False
