# jax.extend.core -- jaxprs for walking.
from jax._jaxpr import Jaxpr, ClosedJaxpr, JaxprEqn, Var, Literal, Primitive, eval_jaxpr, jaxpr_as_fun
