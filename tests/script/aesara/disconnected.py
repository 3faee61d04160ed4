# What grad gives for a variable that the cost does not depend on.
import aesara
import aesara.tensor as at

x, y = at.dscalars("x", "y")
print(aesara.grad(x ** 2, [x, y], disconnected_inputs="ignore", return_disconnected="None")[1])
zero = aesara.grad(x ** 2, [x, y], disconnected_inputs="ignore")[1]
print(float(aesara.function([x, y], zero, on_unused_input="ignore")(2.0, 3.0)))
g = aesara.grad(x ** 2 * y, [x, y], return_disconnected="None")
print([float(v) for v in aesara.function([x, y], g)(2.0, 3.0)])
try:
    aesara.grad(x ** 2, [x, y], return_disconnected="None")
except aesara.gradient.DisconnectedInputError as e:
    print(type(e).__name__)
