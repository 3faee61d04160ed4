# Where joined arrays do not fit, and numpy's AxisError.
import numpy as np
a=np.ones((2,3)); b=np.ones(3)
for f in (lambda: np.concatenate([a,a],0.5), lambda: np.concatenate([a,a],2), lambda: np.concatenate([a,b],3), lambda: np.concatenate([a,b],0), lambda: np.concatenate([b,a],-2), lambda: np.append(b,-1,2), lambda: np.append(b,0,0.5), lambda: np.concatenate([np.float32(1),b],5), lambda: np.concatenate([a,np.float32(1)],5), lambda: np.concatenate([a,a],-3), lambda: np.concatenate([a,a],True).shape, lambda: np.concatenate([],9), lambda: np.concatenate([a,a],"0"), lambda: np.concatenate([a, np.ones((3,3))], 1), lambda: np.concatenate([a,a],np.int64(1)).shape):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for e in (np.exceptions.AxisError(3, 2), np.exceptions.AxisError(3, 2, "here"), np.exceptions.AxisError("words")):
    print(str(e), e.axis, e.ndim, e.args, isinstance(e, IndexError))
try:
    np.ones(3).sum(axis=4)
except np.exceptions.AxisError as e:
    print(e, e.axis, e.ndim)
