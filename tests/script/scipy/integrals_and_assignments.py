# Integrals of samples, initial value problems with events, roots, assignments of least cost.
import numpy as np, warnings
from scipy.integrate import solve_ivp, trapezoid, simpson, cumulative_trapezoid
from scipy.optimize import brentq, linear_sum_assignment
np.set_printoptions(precision=8, suppress=True)
def near(x): return np.round(np.asarray(x), 9) + 0.0
def lv(t, z, a=1.5, b=1., c=3., d=1.): x, y = z; return [a*x-b*x*y, -c*y+d*x*y]
for m in ('RK45', 'RK23'):
    r = solve_ivp(lv, [0, 5], [10, 5], method=m); print(r.t.shape, r.nfev, r.status, r.success, r.message, r.t[-3:], r.y[:, -2:])
    r = solve_ivp(lv, [0, 5], [10, 5], method=m, args=(1.2, 1, 3, 1.1), t_eval=np.linspace(0, 5, 7), dense_output=True, rtol=1e-6, atol=[1e-8, 1e-9]); print(r.t, r.y, r.sol(2.5), r.sol([0., 1., 5.]), r.nfev)
    r = solve_ivp(lambda t, y: -2j * y, (3, 0), np.array([1 + 1j, 2]), method=m, max_step=.5); print(r.t, r.y[:, -1], r.nfev)
def up(t, y): return [y[1], -9.81]
def hit(t, y): return y[0]
hit.terminal = True; hit.direction = -1
def apex(t, y): return y[1]
r = solve_ivp(up, [0, 100], [0, 10], events=[hit, apex], dense_output=True); print(near(r.t), near(r.y), [near(v) for v in r.t_events], [near(v) for v in r.y_events], r.status, r.message, r.sol(1.), r.nfev)
hit.terminal = 2
r = solve_ivp(lambda t, y: [np.cos(t)], [0, 20], [.5], events=hit, rtol=1e-8); print(r.t[-1], r.t_events, r.status)
r = solve_ivp(up, [0, 0], [1., 2.]); print(r.t, r.y, r.status)
r = solve_ivp(up, [0, 1], [1., 2.], t_eval=[.5], first_step=.1); print(r.t, r.y, r.nfev)
r = solve_ivp(lambda t, y: y**2, [0, 2], [1.]); print(r.status, r.message, round(r.t[-1], 6))
r = solve_ivp(lambda t, y: -y, [0, 1], [1., 2.], vectorized=True); print(r.y[:, -1])
for bad in (dict(t_span=(0, 1), y0=[[1.]]), dict(t_span=(0, 1), y0=[np.nan]), dict(t_span=(0, 1), y0=[1.], t_eval=[2.]), dict(t_span=(0, 1), y0=[1.], t_eval=[.5, .2]), dict(t_span=(0, 1), y0=[1.], max_step=-1), dict(t_span=(0, 1), y0=[1.], first_step=3), dict(t_span=(0, 1), y0=[1.], atol=-1), dict(t_span=(0, 1), y0=[1.], args=3)):
    try: print(solve_ivp(lambda t, y: y, **bad).status)
    except Exception as e: print(type(e).__name__, e)
y = np.array([1., 4., 9., 16., 25., 3.]); x = np.array([0., 1., 3., 4., 7., 7.5])
for n in range(1, 7):
    print(trapezoid(y[:n]), trapezoid(y[:n], x[:n]), simpson(y[:n]), simpson(y[:n], x=x[:n]), simpson(y[:n], dx=.3), cumulative_trapezoid(y[:n], x[:n], initial=0), cumulative_trapezoid(y[:n], dx=2))
z = np.arange(24.).reshape(2, 3, 4) ** 1.5
for ax in (0, 1, 2, -1): print(trapezoid(z, axis=ax), simpson(z, axis=ax), cumulative_trapezoid(z, axis=ax).shape)
print(brentq(lambda x: x**3 - 2, 0, 3), brentq(np.cos, 0, 3, full_output=True)[1].iterations, brentq(lambda x, a: x - a, 0, 1, args=(.3,)))
for f in (lambda: brentq(lambda x: x*x + 1, 0, 1), lambda: brentq(np.cos, 0, 3, xtol=0), lambda: brentq(np.cos, 0, 3, maxiter=2)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
rng = np.random.RandomState(0)
for s in ((3, 3), (4, 7), (7, 4), (1, 5), (0, 3), (20, 20)):
    c = rng.randint(0, 10, s); r, k = linear_sum_assignment(c); print(r, k, c[r, k].sum(), r.dtype); r, k = linear_sum_assignment(c, maximize=True); print(r, k); r, k = linear_sum_assignment(rng.rand(*s)); print(r, k)
for bad in ([1, 2], [[np.nan]], [[np.inf]], [[np.inf, 1], [np.inf, 2]]):
    try: print(linear_sum_assignment(bad))
    except Exception as e: print(type(e).__name__, e)
