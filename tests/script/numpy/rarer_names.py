# Steps between floats, views of bytes, strides, counts in several dimensions, polynomials.
import numpy as np
print(np.nextafter(np.float32(1),2), np.nextafter([1.,0.,-1.],[2.,1.,-2.]), np.spacing(np.array([1.,-2.,np.inf,0.])), np.spacing(np.float16(3)))
print(np.bitwise_count(np.array([3,-7,255])), np.bitwise_count(np.array([3,7],np.uint8)))
print(list(np.frompyfunc(lambda a,b:a+b,2,1)(np.arange(3),2)), np.frompyfunc(divmod,2,2)([7,8],3))
print(np.apply_over_axes(np.sum,np.arange(24).reshape(2,3,4),[0,2]))
print(np.diag_indices_from(np.zeros((3,3))), np.mask_indices(3,np.triu,1))
print(np.sort_complex([3,1,2]), np.sort_complex([1+2j,1-1j,0]))
h,e=np.histogramdd(np.array([[0.,1],[1,2],[2,3],[.5,1.2]]),bins=[2,3]); print(h,e)
print(np.histogram2d([1,2,3,4.],[1,1,2,2.],bins=2,density=True))
print(np.poly([1,2,3]), np.polyint([3,2,1]), np.polyint([1.,2],2,[5,6]), np.matvec(np.ones((2,3)),np.arange(3.)), np.vecmat(np.arange(2.),np.ones((2,3))))
a=np.arange(12,dtype='i4').reshape(3,4); print(a.strides, a.T.strides, a[:,::2].strides)
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from numpy.lib import stride_tricks
print(stride_tricks.as_strided is as_strided, as_strided(a, (2, 2), (16, 8)).tolist(), sliding_window_view is np.lib.stride_tricks.sliding_window_view)
print(np.lib.stride_tricks.as_strided(a,(2,2),(16,8)), np.lib.stride_tricks.sliding_window_view(np.arange(5),3))
print(a.view('i2').shape, a.view('i8'), np.arange(4,dtype='u1').view('u4'), np.array([1.],'f4').view('u1'))


def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__)
x=np.arange(3.)
for f in (lambda: np.concatenate([x,x],dtype='i4'), lambda: np.concatenate([x,x],dtype='i4',casting='unsafe'), lambda: np.stack([x,x],dtype='f4'), lambda: np.stack([x,x],dtype='f4',casting='safe'), lambda: np.concatenate([x,x],casting='safe')): t(f)
def go(f,x,i,*b):
    x=x.copy(); f.at(x,i,*b); print(x)
m=np.arange(12.).reshape(3,4)
go(np.add,m,([0,0,2],[1,1,3]),5); go(np.multiply,m,([0,0,2],[1,1,3]),[2.,3.,4.]); go(np.subtract,m,np.s_[1:,::2],1); go(np.maximum,m,(Ellipsis,[0,2]),5); go(np.power,m,np.s_[:,None,[0,3]],2); go(np.negative,m,[0,0,1]); go(np.minimum,m,2,[3.]); go(np.add,np.arange(3),[0,0,2],[1,2,3]); go(np.divide,m,m>6,2.)
