# jax.scipy's fft, ndimage, interpolate, signal, spatial, cluster, integrate, and jax.image.
import jax
import jax.numpy as jnp
import numpy as np
import jax.scipy as jsp
from jax.scipy.spatial.transform import Rotation, Slerp
from jax.scipy.interpolate import RegularGridInterpolator
from jax.scipy.cluster.vq import vq
from jax.scipy.integrate import trapezoid


def show(name, *values):
    for v in values:
        v = np.asarray(v)
        print(name, v.shape, np.round(v.astype(np.complex128 if v.dtype.kind == "c" else np.float64), 3).ravel().tolist())


x = jnp.sin(jnp.arange(24.0)).reshape(4, 6) + jnp.arange(6.0)
show("dct", jsp.fft.dct(x), jsp.fft.dct(x, n=4, axis=0, norm="ortho"), jsp.fft.idct(jsp.fft.dct(x)), jsp.fft.dct(x, n=8)[0])
show("dctn", jsp.fft.dctn(x, norm="ortho"), jsp.fft.idctn(jsp.fft.dctn(x, axes=(0,)), axes=(0,))[0], jsp.fft.idct(x, norm="ortho")[1])
at = [jnp.array([-1.3, 0.2, 1.5, 2.5, 4.0]), jnp.array([0.0, 2.5, 4.6, 7.2, -0.5])]
for mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
    show(f"map_coordinates {mode}", jsp.ndimage.map_coordinates(x, at, 1, mode=mode, cval=-1.0), jsp.ndimage.map_coordinates(x, at, 0, mode=mode))
show("of ints", jsp.ndimage.map_coordinates(jnp.array([1, 4, -7]), [jnp.array([0.5, 1.5])], 1))
grid = RegularGridInterpolator((jnp.arange(4.0), jnp.arange(6.0) ** 2), x)
points = jnp.array([[0.5, 2.0], [2.9, 24.0], [3.5, 1.0]])
show("grid", grid(points), grid(points, method="nearest"), RegularGridInterpolator((jnp.arange(4.0),), x, fill_value=None)(jnp.array([1.25, 4.0])))
show("vq", *vq(x[:, :2], jnp.array([[0.0, 1.0], [1.0, 1.5]])), trapezoid(x, dx=0.5))

# signals
a, b = x[0], jnp.array([1.0, -2.0, 0.5])
for mode in ("full", "same", "valid"):
    show(f"convolve {mode}", jsp.signal.convolve(x, x[:2, :3], mode), jsp.signal.correlate(a, b, mode), jsp.signal.fftconvolve(x, x[:2, :3], mode),
         jsp.signal.convolve2d(x[:2, :2], x[:2, :2], mode), jsp.signal.correlate2d(x, x[:2, :3], mode), jsp.signal.convolve(b, a, mode))
show("detrend", jsp.signal.detrend(x), jsp.signal.detrend(x, type="constant", axis=0), jsp.signal.detrend(a, bp=[3]))
long = jnp.cos(jnp.arange(64.0) / 3)
for window in ("hann", "triang", "blackman"):
    f, t, z = jsp.signal.stft(long, nperseg=16, window=window)
    show(f"stft {window}", f, t, z[:3, :2])
show("istft", jsp.signal.istft(z, nperseg=16, window="blackman")[1][:8])
show("welch", *jsp.signal.welch(long, fs=2.0, nperseg=16), jsp.signal.csd(long, long ** 2, nperseg=32, average="median", scaling="spectrum")[1])

# rotations
r = Rotation.from_euler("xyz", jnp.array([[10.0, 20.0, 30.0], [-40.0, 80.0, 170.0]]), degrees=True)
show("rotation", r.as_quat(), r.as_matrix(), r.as_rotvec(degrees=True), r.as_euler("ZYX"), r.as_mrp(), r.magnitude(), r.inv().as_quat(canonical=True))
show("applied", r.apply(jnp.array([1.0, 2.0, 3.0])), (r[0] * r[1]).as_quat(), Rotation.from_matrix(r.as_matrix()).as_quat(), r.mean().magnitude(),
     r.as_euler("zxz"), Rotation.from_rotvec(jnp.array([1e-5, 0.0, 0.0])).as_quat(), Rotation.identity().as_quat())
show("slerp", Slerp.init(jnp.array([0.0, 2.0]), r)(jnp.array([0.5, 1.5])).as_quat())
show("jitted", jax.jit(lambda r, v: r.apply(v))(r, jnp.array([0.0, 1.0, 0.0])))

# images
for method in ("nearest", "linear", "cubic", "lanczos3", "lanczos5", "cubic-pytorch"):
    show(method, jax.image.resize(x, (3, 9), method), jax.image.resize(x, (6, 4), method, antialias=False))
show("moved", jax.image.scale_and_translate(x, (4, 5), (0, 1), jnp.array([0.8, 1.3]), jnp.array([0.5, -1.0]), "linear"))
show("slope", jax.grad(lambda v: jax.image.resize(v, (2, 3), "cubic").sum())(x))
for wrong in (lambda: jax.image.resize(x, (2,), "linear"), lambda: jax.image.resize(x, (2, 2), "square"),
              lambda: jsp.fft.dctn(x, s=(1, 2, 3)), lambda: jsp.fft.dct(x, type=1)):
    try:
        wrong()
    except (ValueError, NotImplementedError) as e:
        print(type(e).__name__)
