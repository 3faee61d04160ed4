# Every native method and property of the engine's types, on wrong selfs and with wrong
# arguments: each gives a value or raises, and the process lives.
import torch, numpy, jax, jax.numpy as jnp
import _torch, _jax

native = type(len)


class Plain:
    pass


samples = [None, 5, 1.5, 'text', [1], {}, Plain, Plain(), torch.ones(2), jnp.ones(2), numpy.ones(2),
           numpy.float64(1), torch.float32, jnp.float32, torch.Generator(), numpy.random.default_rng(1),
           torch.Size([1]), torch.nn.Linear(1, 1), torch.nn.Parameter(torch.ones(1)), jax.jit(lambda x: x),
           jax.random.PRNGKey(0)]


def attempt(f, args):
    try:
        f(*args)
    except Exception:
        pass


classes = []
for v in samples + [v for m in (_torch, _jax) for v in vars(m).values()]:
    for c in type(v).__mro__ + (v.__mro__ if isinstance(v, type) else ()):
        if not any(c is k for k in classes):
            classes.append(c)
methods = 0
for c in classes:
    bare = None
    try:
        bare = c.__new__(c)
    except Exception:
        pass
    for name in dir(c):
        try:
            f = getattr(c, name)
        except Exception:
            continue
        if type(f) is native:
            methods += 1
            attempt(f, ())
            for self in samples + [bare]:
                attempt(f, (self,))
                attempt(f, (self, 5))
                attempt(f, (self, 'text', None))
                attempt(f, (self, [], {}, 3))
        elif type(f).__name__ == 'getset_descriptor':
            methods += 1
            holder = type('Holder', (), {'p': f})()
            attempt(getattr, (holder, 'p'))
            attempt(setattr, (holder, 'p', 5))
            for self in samples + [bare]:
                attempt(getattr, (self, name))
                attempt(delattr, (self, name))
    for use in (repr, str, len, iter, list, bool, hash, float, int, abs, next, callable, lambda x: x(), lambda x: x + 1,
                lambda x: -x, lambda x: x == 1, lambda x: x < 1, lambda x: x[0], lambda x: x.shape, lambda x: x[0:1]):
        attempt(use, (bare,))
print(methods > 50)
try:
    jnp.ones(2).__format__(5)
except TypeError as e:
    print(e)
