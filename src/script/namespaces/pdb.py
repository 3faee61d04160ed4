# pdb -- there is no debugger here.


def set_trace(*, header=None):
    raise NotImplementedError("pdb.set_trace: there is no debugger here" + (f" ({header})" if header else ""))


def post_mortem(t=None):
    raise NotImplementedError("pdb.post_mortem: there is no debugger here")


def runcall(*args, **kwargs):
    raise NotImplementedError("pdb.runcall: there is no debugger here")
