# tensorflow.compat.v1_scope -- variables by name: scopes, reuse, what a scope gives those that are made in it.
from tensorflow._base import TensorShape, dtype_of, float32, state
from tensorflow._graph import Graph, GraphTensor, GraphVariable, _Graph, default_graph
from tensorflow import initializers


class AutoReuse:
    def __repr__(self):
        return "<_ReuseMode.AUTO_REUSE: 1>"

    def __str__(self):
        return "_ReuseMode.AUTO_REUSE"


AUTO_REUSE = AutoReuse()
_GIVEN = ("initializer", "regularizer", "caching_device", "partitioner", "custom_getter", "dtype", "use_resource", "constraint")


class VariableScope:
    # What variable_scope gives: a name for variables, one for operations, and what get_variable takes where a call names none.
    def __init__(self, reuse, name="", initializer=None, regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                 name_scope="", dtype=float32, use_resource=None, constraint=None):
        self._reuse, self._name, self._name_scope = reuse, name, name_scope
        self._initializer, self._regularizer, self._caching_device = initializer, regularizer, caching_device
        self._partitioner, self._custom_getter, self._dtype = partitioner, custom_getter, dtype
        self._use_resource, self._constraint = use_resource, constraint

    name = property(lambda self: self._name)
    original_name_scope = property(lambda self: self._name_scope)
    reuse = property(lambda self: self._reuse)
    initializer = property(lambda self: self._initializer)
    regularizer = property(lambda self: self._regularizer)
    caching_device = property(lambda self: self._caching_device)
    partitioner = property(lambda self: self._partitioner)
    custom_getter = property(lambda self: self._custom_getter)
    dtype = property(lambda self: self._dtype)
    use_resource = property(lambda self: self._use_resource)
    constraint = property(lambda self: self._constraint)

    def given(self):
        return {k: getattr(self, k) for k in _GIVEN}

    def reuse_variables(self):
        self._reuse = True

    def set_initializer(self, initializer):
        self._initializer = initializer

    def set_regularizer(self, regularizer):
        self._regularizer = regularizer

    def set_custom_getter(self, custom_getter):
        self._custom_getter = custom_getter

    def set_partitioner(self, partitioner):
        self._partitioner = partitioner

    def set_caching_device(self, caching_device):
        self._caching_device = caching_device

    def set_dtype(self, dtype):
        self._dtype = dtype

    def set_use_resource(self, use_resource):
        self._use_resource = use_resource

    def get_collection(self, name):
        return _within(default_graph().get_collection(name), self._name + "/" if self._name else None)

    def global_variables(self):
        return self.get_collection("variables")

    def trainable_variables(self):
        return self.get_collection("trainable_variables")

    def local_variables(self):
        return self.get_collection("local_variables")

    def get_variable(self, name, *args, **kw):
        with _Entered(self):
            return get_variable(name, *args, **kw)


def _within(items, scope):
    # those whose names begin as the regular expression scope says
    if scope is None:
        return list(items)
    import re
    return [x for x in items if hasattr(x, "name") and re.match(scope, x.name)]


class _Entered:
    # within: this scope is the innermost, and names of operations stay as they are
    def __init__(self, scope):
        self.scope = scope

    def __enter__(self):
        default_graph().variable_scopes.append(self.scope)
        return self.scope

    def __exit__(self, *exc):
        default_graph().variable_scopes.pop()


def get_variable_scope():
    g = default_graph()
    if g.variable_scopes:
        return g.variable_scopes[-1]
    if g.root_scope is None:
        g.root_scope = VariableScope(False)
    return g.root_scope


def _getters(outer, inner):
    # inner's getter is outer's
    if outer is None or inner is None:
        return inner or outer

    def both(getter, *args, **kw):
        return inner(lambda *a, **k: outer(getter, *a, **k), *args, **kw)
    return both


class variable_scope:
    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, regularizer=None, caching_device=None,
                 partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None, auxiliary_name_scope=True):
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse not in (None, True, False) and reuse is not AUTO_REUSE:
            raise ValueError(f"The reuse parameter must be True or False or None. Received: {reuse}")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        self.given, self.default, self.reuse, self.names = name_or_scope, default_name, reuse, auxiliary_name_scope
        self.changes = {"initializer": initializer, "regularizer": regularizer, "caching_device": caching_device, "partitioner": partitioner,
                        "custom_getter": custom_getter, "dtype": dtype, "use_resource": use_resource, "constraint": constraint}

    def __enter__(self):
        self.graph = g = default_graph()
        outer, given = get_variable_scope(), self.given
        lead = outer.name + "/" if outer.name else ""
        shared = isinstance(given, VariableScope)
        own = given
        if shared:
            own = given.name.split("/")[-1]
        elif given is None:
            own = self.default
        entered = self.graph.push_scope(own) if self.names and own else g.push_scope(g.scope() + "/" if g.scope() else None)
        if given is None:
            given, n = self.default, 0
            while g.scope_counts.get(lead + given, 0):
                n += 1
                given = f"{self.default}_{n}"
        base = given if shared else outer
        kept = base.given()
        for k, x in self.changes.items():
            if k == "custom_getter":
                x = _getters(kept[k], x)
            if x is not None:
                kept[k] = x
        name = given.name if shared else lead + given
        self.scope = VariableScope(self.reuse or base.reuse, name, name_scope=given.original_name_scope if shared else entered, **kept)
        g.scope_counts[name] = g.scope_counts.get(name, 0) + 1
        self.counts = dict(g.scope_counts) if shared else None
        g.layer_counts = {k: n for k, n in g.layer_counts.items() if not k.startswith(name + "/")}
        g.variable_scopes.append(self.scope)
        return self.scope

    def __exit__(self, *exc):
        g = self.graph
        g.variable_scopes.pop()
        g.pop_scope()
        if self.counts is not None:
            g.scope_counts = self.counts
        else:       # scopes in it are counted anew when it is entered again
            g.scope_counts = {k: n for k, n in g.scope_counts.items() if not k.startswith(self.scope.name + "/")}

    def __call__(self, fn):
        def call(*args, **kw):
            with variable_scope(self.given, self.default, reuse=self.reuse, auxiliary_name_scope=self.names, **self.changes):
                return fn(*args, **kw)
        return call


def variable_op_scope(values, name_or_scope, default_name=None, initializer=None, regularizer=None, caching_device=None, partitioner=None,
                      custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None):
    return variable_scope(name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter, reuse, dtype,
                          use_resource, constraint)


def _found(g, full, shape, dtype):
    # the variable of this name, which must be one as it is asked for
    v = g.store[full]
    if shape is not None and not v.shape.is_compatible_with(shape if not isinstance(shape, int) else [shape]):
        raise ValueError(f"Trying to share variable {full}, but specified shape {TensorShape(shape)} and found shape {v.shape}.")
    if dtype is not None and v.dtype != dtype_of(dtype):
        raise ValueError(f"Trying to share variable {full}, but specified dtype {dtype_of(dtype).name} and found dtype {v.dtype.name}_ref.")
    return v


def _first(g, full, initializer, shape, dtype):
    # the value a new variable begins with
    if initializer is None:
        from tensorflow.compat.v1 import glorot_uniform_initializer
        initializer = glorot_uniform_initializer() if dtype.is_floating else initializers.Zeros()
    if isinstance(initializer, type):
        initializer = initializer()
    if isinstance(initializer, (GraphTensor, GraphVariable)) or not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return initializer
    from tensorflow.compat.v1 import _Drawn
    if shape is None:
        raise ValueError(f"Shape of a new variable ({full}) must be fully defined, but instead was <unknown>.")
    sizes = TensorShape(shape if not isinstance(shape, int) else [shape])
    if not sizes.is_fully_defined():
        raise ValueError(f"Shape of a new variable ({full}) must be fully defined, but instead was {sizes}.")
    if isinstance(initializer, _Drawn):     # when it is initialised, by the graph's seeds
        g.scopes = [full + "/Initializer"]
        with _Graph(g):
            return initializer(sizes.as_list(), dtype)
    graph, state.graph = state.graph, None
    try:
        return initializer(sizes.as_list(), dtype)
    finally:
        state.graph = graph


def _new(g, full, dtype, initializer, shape, regularizer, trainable, collections, constraint, aggregation, use_resource):
    dtype = dtype_of(dtype or float32)
    scopes, g.scopes = g.scopes, []
    controls, g.controls = g.controls, []
    try:
        first = _first(g, full, initializer, shape, dtype)
        g.scopes = []
        trainable = True if trainable is None else trainable
        v = GraphVariable(first, trainable=trainable, collections=collections, name=full, dtype=dtype, constraint=constraint,
                          aggregation=aggregation, use_resource=use_resource)
        g.store[full] = v
        if regularizer is not None:
            g.scopes = [full + "/Regularizer"]
            with _Graph(g):
                loss = regularizer(v)
            if loss is not None:
                g.add_to_collection("regularization_losses", loss)
    finally:
        g.scopes, g.controls = scopes, controls
    return v


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None, caching_device=None,
                 partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None, synchronization=None,
                 aggregation=None):
    g, scope = default_graph(), get_variable_scope()
    if (partitioner or scope.partitioner) is not None:
        raise NotImplementedError("get_variable: partitioner")
    full = scope.name + "/" + name if scope.name else name
    getter = custom_getter or scope.custom_getter
    use_resource = scope.use_resource if use_resource is None else use_resource

    def true(name, shape=None, dtype=None, initializer=None, regularizer=None, reuse=None, trainable=None, collections=None,
             caching_device=None, partitioner=None, validate_shape=True, use_resource=None, constraint=None, synchronization=None,
             aggregation=None):
        if name in g.store:
            if not reuse:
                raise ValueError(f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?")
            return _found(g, name, shape, dtype)
        if reuse is True:
            raise ValueError(f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                             "reuse=tf.AUTO_REUSE in VarScope?")
        return _new(g, name, dtype, initializer, shape, regularizer, trainable, collections, constraint, aggregation, use_resource)
    made = dict(shape=shape, dtype=dtype or (scope.dtype if full not in g.store else None), initializer=initializer or scope.initializer if not
                isinstance(initializer, (GraphTensor, GraphVariable)) and not _is_value(initializer) else initializer,
                regularizer=regularizer or scope.regularizer, reuse=scope.reuse, trainable=trainable, collections=collections,
                caching_device=caching_device, partitioner=None, validate_shape=validate_shape, use_resource=use_resource,
                constraint=constraint or scope.constraint, synchronization=synchronization, aggregation=aggregation)
    if getter is None:
        return true(full, **made)
    return getter(true, full, **made)


def _is_value(x):
    return x is not None and not callable(x)


def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False, collections=None, **kw):
    return get_variable(name, shape, dtype, initializer, regularizer, False, list(collections or []) + ["local_variables"], **kw)


class _Template:
    # A function whose variables are made at its first call, and are the same at every later one.
    def __init__(self, name, func, unique_name, given):
        self.func, self.given, self.called = func, given, False
        with variable_scope(unique_name or None, default_name=name) as scope:
            self.scope = scope

    def __call__(self, *args, **kw):
        with variable_scope(self.scope, reuse=self.called):
            self.called = True
            return self.func(*args, **self.given, **kw)

    name = property(lambda self: self.scope.name)
    variable_scope = property(lambda self: self.scope)
    global_variables = property(lambda self: self.scope.global_variables())
    trainable_variables = property(lambda self: self.scope.trainable_variables())
    variables = global_variables
    weights = global_variables


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    if custom_getter_ is not None:
        raise NotImplementedError("make_template: custom_getter_")
    made = []

    def late(*args, **kw):
        if not made:
            made.append(_Template(name_, func_, unique_name_, kwargs))
        return made[0](*args, **kw)
    return _Template(name_, func_, unique_name_, kwargs) if create_scope_now_ else late
