# tensorflow._strings -- the type of texts. Tensors of them (_base.StringTensor) are kept on the host as bytes; no program computes with them.


class StringType:
    name, is_floating, is_integer, is_bool, is_complex, kind = "string", False, False, False, False, "S"

    def __eq__(self, other):
        return self is other or isinstance(other, str) and other == "string"

    def __hash__(self):
        return hash("string")

    def __repr__(self):
        return "tf.string"

    __str__ = lambda self: "<dtype: 'string'>"


string = StringType()


def bytes_of(x):
    if isinstance(x, (list, tuple)):
        return [bytes_of(y) for y in x]
    return x.encode() if isinstance(x, str) else bytes(x)


def sizes_of(x):
    sizes = ()
    while isinstance(x, list):
        sizes += (len(x),)
        x = x[0] if x else None
    return sizes


def is_text(x):
    # a text, or nested lists of them
    for _ in range(64):  # a list may be its own first element
        if not isinstance(x, (list, tuple)) or not len(x):
            break
        x = x[0]
    return isinstance(x, (str, bytes))


def is_string_tensor(x):
    return getattr(x, "dtype", None) is string
