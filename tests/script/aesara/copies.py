# Functions copied, with other shared variables or without updates.
import aesara
import aesara.tensor as at

state, other = aesara.shared(0, name="state"), aesara.shared(100, name="other")
inc = at.iscalar("inc")
accumulate = aesara.function([inc], state, updates=[(state, state + inc)])
print(accumulate(1), accumulate(10), state.get_value())
of_other = accumulate.copy(swap={state: other})
print(of_other(100), other.get_value(), state.get_value())
still = accumulate.copy(delete_updates=True)
print(still(9000), state.get_value())
x = at.dvector("x")
w = aesara.shared(2.0, name="w")
f = aesara.function([x], [x * w, x + w])
g = f.copy(swap={w: aesara.shared(5.0)})
print([v.tolist() for v in g([1, 2])], [v.tolist() for v in f([1, 2])])
for bad in ({other: state}, {state: aesara.shared(1.5)}):
    try:
        accumulate.copy(swap=bad)
    except (ValueError, AssertionError) as e:
        print(type(e).__name__)
