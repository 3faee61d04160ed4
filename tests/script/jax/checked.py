# Checks of the user and of every operation, inside of everything that transforms functions.
import jax, jax.numpy as jnp
from jax import lax
from jax.experimental import checkify as ck
def r(f, errors, *a):
    try:
        err, out = ck.checkify(f, errors=errors)(*a); e2=err.get(); print(e2, '|', jax.tree.map(lambda v: [round(float(u), 3) for u in jnp.ravel(v)], out))
        err, out = jax.jit(ck.checkify(f, errors=errors))(*a); e3=err.get(); print('same' if e3==e2 else e3)
        try: err.throw()
        except Exception as e: print(type(e).__name__, isinstance(e, ValueError), type(e.__cause__).__name__)
    except Exception as e: print(type(e).__name__, str(e)[:200])
def f(x):
    ck.check(x>0, "{x} must be positive {y}", x=x, y=x*2); return jnp.log(x)
r(f, ck.user_checks, jnp.float32(1.)); r(f, ck.user_checks, jnp.float32(-1.)); r(f, ck.nan_checks, jnp.float32(-1.)); r(f, ck.all_checks, jnp.float32(-1.)); r(f,ck.div_checks,jnp.float32(1.))
r(lambda x: jnp.sin(x)+1, ck.float_checks, jnp.inf); r(lambda x,y: x/y, ck.float_checks, jnp.float32(1.), jnp.float32(0.)); r(lambda x,y: x/y, ck.nan_checks, jnp.zeros(2), jnp.zeros(2)); r(lambda x,y: x//y, ck.div_checks, jnp.int32(1), 0)
x=jnp.arange(3.)
r(lambda x,i: x[i], ck.index_checks, x, 5); r(lambda x,i: x[i], ck.index_checks, x, jnp.array([0,1,-4])); r(lambda x,i: x.at[i].set(1.), ck.index_checks, x, jnp.array([0,7])); r(lambda x,i: x.at[i].add(1.), ck.index_checks, x, 3); r(lambda x,i: lax.dynamic_slice(x,(i,),(2,)), ck.index_checks, x, 2); r(lambda x,i: lax.dynamic_update_slice(x,jnp.ones(2),(i,)), ck.index_checks, x, 2); r(lambda x,i: jnp.take(x,i), ck.index_checks, x, jnp.array([1,9])); r(lambda x,i: x[i], ck.index_checks, x.reshape(1,3), (0,jnp.int32(9)))
def g(x):
    def body(c,v): ck.check(v<3, "v is {v}", v=v); return c+v, jnp.sqrt(c-v)
    return lax.scan(body, 0., x)
r(g, ck.user_checks, jnp.arange(5.)); r(g, ck.all_checks, jnp.arange(5.)); r(g, ck.all_checks, jnp.zeros(3))
def w(x): return lax.while_loop(lambda c: jnp.log(c)>-10., lambda c: c-1, x)
r(w, ck.nan_checks, 3.)
def c(x): return lax.cond(x>0, lambda x: jnp.log(x), lambda x: jnp.log(x)*2, x)
r(c, ck.nan_checks, -1.); r(c, ck.nan_checks, 1.)
r(lambda x: lax.switch(jnp.int32(x),[lambda: 1., lambda: jnp.sqrt(-1.-x), lambda: ck.check(False,'hi') or 2.-x]), ck.all_checks, 1); r(lambda x: lax.switch(jnp.int32(x),[lambda: 1., lambda: jnp.sqrt(-1.-x), lambda: ck.check(False,'hi') or 2.-x]), ck.all_checks, 2)
r(jax.vmap(lambda x: f(x)), ck.user_checks, jnp.array([1.,-2.,-3.]))
err,_=jax.vmap(ck.checkify(f))(jnp.array([1.,-2.,-3.])); print(err.get()); print(err)
try: err.throw()
except Exception as e: print(type(e).__name__, e)
r(jax.grad(lambda x: jnp.sqrt(x)), ck.float_checks, 0.); r(jax.grad(lambda x: jnp.sin(x)/x), ck.float_checks, 0.); r(jax.jit(lambda x: jnp.log(x)), ck.nan_checks, -1.); r(jax.value_and_grad(jax.checkpoint(lambda x: jnp.sin(jnp.log(x)))), ck.nan_checks, -1.)
print(jax.grad(lambda x: ck.checkify(lambda x: jnp.sin(x), errors=ck.all_checks)(x)[1])(1.))
try: jax.jit(f)(1.)
except Exception as e: print(type(e).__name__, e)
for bad in (lambda: f(jnp.float32(-1.)), lambda: ck.check(jnp.array([True]),'a'), lambda: ck.check(True,'{}','a'), lambda: ck.check_error(3), lambda: ck.debug_check(False,'x'), lambda: jax.vmap(f)(jnp.array([1.,-1.]))):
    try: print(bad())
    except Exception as e: print(type(e).__name__, e)
def outer(x):
    err,y=jax.jit(ck.checkify(f))(x); ck.check_error(err); return y+1
r(outer, ck.user_checks, jnp.float32(-3.)); r(outer, ck.user_checks, jnp.float32(3.))
try: outer(jnp.float32(-2.))
except Exception as e: print(type(e).__name__, e)
def dbg(x): ck.debug_check(x>0,"dbg {}",x); return x
print(jax.jit(dbg)(-1.)); r(dbg, ck.user_checks, jnp.float32(-1.))
r(lambda x: jnp.mean(jax.nn.softmax(x)), ck.all_checks, x); r(lambda x: lax.fori_loop(0,3,lambda i,a: a/(i-1),x), ck.div_checks, 1.); r(lambda x: jnp.sum(x)*jnp.inf, ck.float_checks, jnp.zeros(2)); r(lambda n: n+1, ck.all_checks, jnp.int32(3))
r(lambda x: x@x, ck.nan_checks, jnp.array([[jnp.inf,1.],[-jnp.inf,1]])); r(lambda x: x**2.5, ck.nan_checks, jnp.float32(-1.)); r(lambda x: x-x, ck.nan_checks, jnp.float32(jnp.inf)); r(jax.nn.relu, ck.all_checks, x); r(jax.scipy.special.logsumexp, ck.all_checks, x); r(lambda x: jnp.linalg.norm(x), ck.all_checks, x); r(jax.nn.gelu, ck.all_checks, x); r(jnp.var, ck.all_checks, x); r(lambda x: jnp.sort(x), ck.all_checks, x); r(jnp.median, ck.all_checks, x); r(jnp.cumsum,ck.all_checks,x); r(lambda x: jnp.linalg.inv(jnp.diag(x+1)), ck.all_checks, x); r(jax.scipy.special.gammaln, ck.all_checks, x+1); r(jax.scipy.special.digamma, ck.all_checks, x+1); r(jax.scipy.special.erfinv, ck.all_checks, x/4); r(jnp.arctan2, ck.all_checks, x,x+1); r(jax.scipy.stats.norm.cdf, ck.all_checks, x); r(jnp.round, ck.all_checks, x); r(jnp.unique if 0 else jnp.argsort, ck.all_checks, x);r(jax.nn.logsumexp, ck.all_checks, x); r(jnp.quantile, ck.all_checks, x, .3); r(jnp.sinc, ck.all_checks, x); r(jnp.tan, ck.all_checks, x); r(jnp.float_power, ck.all_checks, x,2.); r(jnp.mod, ck.all_checks, x,2.); r(jnp.interp, ck.all_checks, .5,x,x)
