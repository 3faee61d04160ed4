# What is to be done where numbers overflow or are divided by 0 is done after functions and operators; and shapes that are set.
import numpy as np
a = np.array([1., 0., -1., 1e300]); z = np.zeros(4)
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print(np.geterr())
with np.errstate(all='raise'):
    t(lambda: a / z); t(lambda: a * a); t(lambda: np.log(z)); t(lambda: np.sqrt(-a)); t(lambda: np.exp(a)); t(lambda: a ** -1.0); t(lambda: np.divide(a, z)); t(lambda: a + a); t(lambda: np.float64(1) / np.float64(0)); t(lambda: z / z); t(lambda: np.array([1, 2]) // 0); t(lambda: np.array([1,2]) % np.array([0,1])); t(lambda: np.array([1e-300]) * 1e-300); t(lambda: np.exp(np.array([-1000.]))); t(lambda: np.log1p(np.array([-1.]))); t(lambda: np.arctanh(np.array([1.]))); t(lambda: np.reciprocal(np.array([0.]))); t(lambda: np.arccos(2.)); t(lambda: np.inf - np.array([np.inf])); t(lambda: np.array([np.nan]) + 1); t(lambda: np.array([np.inf]) * 2)
    b = np.array([1., 2.]); 
    try:
        b /= 0
    except FloatingPointError as e: print(e)
    t(lambda: np.float32(3e38) * np.float32(10)); t(lambda: np.power(np.array([10.]), 400)); t(lambda: np.square(np.array([1e200]))); t(lambda: 1 / np.array([0.]))
print(np.geterr())
old = np.seterr(all='ignore'); print(old, np.geterr()); np.seterr(**old)
said = []
with np.errstate(call=lambda kind, flag: said.append((kind, flag)), all='call'):
    a / z; np.log(z)
print(said, np.geterrcall())
class Log:
    def write(self, s): print('log', s, end='')
with np.errstate(call=Log(), over='log'):
    np.exp(np.array([1000.]))
@np.errstate(divide='raise')
def f(x): return 1 / x
t(lambda: f(z)); print(np.geterr()['divide'])
t(lambda: np.errstate(foo='a')); t(lambda: np.seterr(all='foo')); t(lambda: np.seterr(all='call')); t(lambda: 1 / z); np.seterr(all='warn')
x = np.arange(6); y = x[:]
x.shape = (2, 3); print(x, y.shape); x[0, 0] = 9; print(y[0]); x.shape = -1; print(x.shape)
v = np.arange(6).reshape(2, 3).T
def s(v, k): v.shape = k; return v
t(lambda: s(v, 6)); t(lambda: s(v, (4, 4))); t(lambda: s(np.arange(4), (2, 2)))
