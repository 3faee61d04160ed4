# jax.scipy.integrate -- the trapezoidal rule.
from jax.numpy import trapezoid
