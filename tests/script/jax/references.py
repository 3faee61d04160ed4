# References: read and written, by jitted and mapped functions, in loops and branches, under derivatives.
import jax, jax.numpy as jnp, numpy as np
from jax import lax
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0].split(' Transforms:')[0].split(' traced for jit')[-1].split(", but when")[0].split(", and none")[0].strip())
r=jax.new_ref(jnp.zeros(3)); print(r, repr(r), r.shape, r.dtype, r.ndim, r.size, len(r), type(r).__name__)
r[0]=1.; r[1:]+=2.; r[...]*=2; print(r[...], r[0], r[1:], r[:])
t(lambda: r.get() if hasattr(r,'get') else 'no get'); t(lambda: r.set(jnp.ones(3))); print(r[...]); t(lambda: jax.ref.swap(r,0,5.)); print(r[...]); t(lambda: jax.ref.addupdate(r,1,2.)); print(r[...]); t(lambda: jax.ref.get(r)); t(lambda: jax.ref.set(r,slice(0,2),7.)); print(r[...]); t(lambda: jax.ref.get(r,(jnp.array([0,2]),)))
t(lambda: jax.freeze(r)); t(lambda: r[...]); r=jax.new_ref(jnp.arange(4.)); t(lambda: r+1); t(lambda: r[5]); t(lambda: r[jnp.array([True,False,True,False])]); t(lambda: r.__setitem__(0,jnp.ones(2))); t(lambda: r.__setitem__(slice(None),0)); print(r[...]); t(lambda: r.__setitem__(Ellipsis,jnp.ones(4,int))); t(lambda: r.__setitem__(Ellipsis,np.ones(4))); print(r[...]); t(lambda: float(jax.new_ref(1.)))
t(lambda: bool(r)); t(lambda: jax.new_ref(3)[...]); t(lambda: jax.new_ref([1,2])); t(lambda: jax.tree.leaves([r])); t(lambda: jax.jit(lambda r: r)(r)); t(lambda: jax.jit(lambda: jax.new_ref(1.))())
n=jax.new_ref(jnp.array([1,2])); t(lambda: n.__setitem__(0,1.5)); t(lambda: n.__setitem__(0,jnp.float32(1))); t(lambda: n.__iadd__(1))
@jax.jit
def f(r, y):
    r[...] += y; r[0] = 10.
    return r[...].sum()
print(f(r, 1.), r[...], f(r, 2.), r[...])
t(lambda: f(r, r)); t(lambda: jax.jit(lambda a,b: a[...]+b[...])(r,r))
@jax.jit
def g(y): r[1] += y; return r[1]*2
print(g(3.), r[...], g(3.), r[...])
c=jax.new_ref(0)
@jax.jit
def count(): c[...] += 1
for _ in range(3): count()
print(c[...])
def body(a,x): r[...] += x; c[...] += 1; return a+r[0], r[...]
print(lax.scan(body, 0., jnp.arange(3.)), r[...], c[...])
print(jax.jit(lambda: lax.scan(body, 0., jnp.arange(3.)))(), r[...], c[...])
print(lax.fori_loop(0,3,lambda i,a: (r.__setitem__(i,a), a+1)[1], 5.), r[...])
def wh(s): c[...] += 1; return s+1
print(lax.while_loop(lambda s: s<4, wh, 0), c[...])
def up(x): r[0]=x; return x
def dn(x): r[1]=x; return -x
print(lax.cond(True, up, dn, 3.), r[...]); print(jax.jit(lambda p: lax.cond(p, up, dn, 4.))(False), r[...]); print(lax.switch(1,[up,dn],9.), r[...])
x=jax.new_ref(jnp.arange(5)); 
def sb(_,ix): i,q=ix; q[...]+=i; return (), q[...]
print(lax.scan(sb,(),(jnp.arange(5),x)), x[...])
def sq(x): q=jax.new_ref(x); q[...]=q[...]*q[...]; return q[...]
print(jax.vmap(sq)(jnp.arange(4.)), jax.grad(sq)(3.), jax.jit(jax.grad(sq))(3.), jax.vmap(jax.grad(sq))(jnp.arange(3.)), jax.jvp(sq,(2.,),(1.,)))
xs=jax.new_ref(jnp.zeros(3)); 
def vf(q,v): q[...]+=v; q[...]+=v
jax.vmap(vf)(xs,jnp.arange(3.)); print(xs[...])
t(lambda: jax.vmap(lambda v: xs.__setitem__(0,v))(jnp.arange(3.))); print(xs[...])
def stat(x):
    y=jnp.sin(x); r[0]=lax.stop_gradient(y); c[...] += 1; return y*x
print(jax.grad(stat)(2.), r[0], c[...], jax.value_and_grad(jax.jit(stat))(2.), c[...], jax.jit(jax.grad(stat))(1.), r[...], c[...])
def integ(n):
    acc=jax.new_ref(jnp.zeros(()))
    def b(i,_): acc[...] += i**2.; return None
    lax.fori_loop(0,5,b,None); return acc[...]*n
print(integ(2.), jax.jit(integ)(2.), jax.grad(integ)(2.))
def grd(x):
    acc=jax.new_ref(jnp.zeros(3))
    def b(i,_): acc[i]=x**(i+1.); return None
    lax.fori_loop(0,3,b,None); return acc[...].sum()
print(grd(2.), jax.grad(grd)(2.), jax.jit(jax.grad(grd))(2.))
k=jax.new_ref(jax.random.key(0)); k[...]=jax.random.fold_in(k[...],1); print(jax.random.key_data(k[...]))
d={'a':jax.new_ref(1.),'b':jnp.ones(2)}
@jax.jit
def tree(d): d['a'][...] += d['b'].sum(); return d['b']*2
print(tree(d), d['a'][...]); print(jax.eval_shape(tree,d))
v=jax.new_ref(jnp.arange(6.).reshape(2,3)); v[0,1]=100.; v[:,2]+=1; v[1]=v[1]*2; print(v[...], v[0], v[:,1], v[1,jnp.array([0,2])], v.T if hasattr(v,'T') else '')
print(jax.checkpoint(sq)(3.), jax.grad(jax.checkpoint(sq))(3.))
def f2(x): r[...] = r[...] * 0 + x; return x
print(jax.checkpoint(f2)(3.), r[...])
i=jax.new_ref(jnp.array(0.)); print(i[...], i[()], i[...]+1)
for _ in range(2): i[...] = i[...]+1
print(i)
