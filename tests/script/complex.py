# Complex numbers: literals, arithmetic, printing, errors, cmath.
import cmath
z = 3 + 4j
print(z, abs(z), z.real, z.imag, z.conjugate(), -z, +z, z * 2, 2 * z, z / 2, 1 / z, z ** 2, z ** -1, z ** 0.5, 2 ** z, z ** z)
print(repr(1j), 0j, -0j, complex(-0.0, 1), 1e100j, 1.5J, 10_0j, (1+0j), complex(1, -0.0), complex(float("nan"), float("inf")))
print(complex(), complex(2), complex("1+2j"), complex(" ( -1.5e3-j ) "), complex("j"), complex("3"), complex(1j, 2j), complex(1.5, imag=3), complex(True))
print(z == 3 + 4j, z == 3, 3 + 0j == 3, 3.0 == 3 + 0j, z != 1, bool(0j), bool(1j), {3: "a"}[3 + 0j])
print(f"{z}", f"{z:.2f}", f"{z:e}", f"{z:>20}|", f"{z:.3}", f"{2j:.1f}", f"{z:+.1f}", format(1j, ">6"), "%s" % z)
print((-8) ** (1 / 3), (-2.0) ** 0.5, sum([1j, 2, 3.5]), isinstance(z, complex), type(z), type(z).__name__, z is z)
print([1j, (2j,), {"a": 1 - 1j}], sorted([3, 1]), pow(1j, 2), divmod(7, 2))
for bad in ("z < 1", "z // 1", "z % 2", "int(z)", "float(z)", "1 / 0j", "complex('x')", "complex('1', 2)", "0j ** -1", "complex([])", "~z", "round(z)", "f'{z:d}'", "f'{z:08.1f}'", "0 ** 1j"):
    try:
        if bad == "z < 1": z < 1
        elif bad == "z // 1": z // 1
        elif bad == "z % 2": z % 2
        elif bad == "int(z)": int(z)
        elif bad == "float(z)": float(z)
        elif bad == "1 / 0j": 1 / 0j
        elif bad == "complex('x')": complex("x")
        elif bad == "complex('1', 2)": complex("1", 2)
        elif bad == "0j ** -1": 0j ** -1
        elif bad == "complex([])": complex([])
        elif bad == "~z": ~z
        elif bad == "round(z)": round(z)
        elif bad == "f'{z:d}'": f"{z:d}"
        elif bad == "f'{z:08.1f}'": f"{z:08.1f}"
        else: 0 ** 1j
    except Exception as e:
        print(bad, type(e).__name__, e)
for x in (1 + 2j, -0.3 + 0.1j, 2.5 - 1j, 0.99 + 0.02j, -1.5, 0.5j, 1e-320j, 1e200 + 1e200j):
    for f in (cmath.sqrt, cmath.exp, cmath.log, cmath.log10, cmath.sin, cmath.cos, cmath.tan, cmath.sinh, cmath.cosh, cmath.tanh, cmath.asin, cmath.acos, cmath.atan, cmath.asinh, cmath.acosh, cmath.atanh, cmath.phase, cmath.polar):
        try:
            print(f(x), end=" ")
        except Exception as e:
            print(type(e).__name__, e, end=" ")
    print()
print(cmath.rect(2, 0.5), cmath.rect(1, 0), cmath.isclose(1j, 1j + 1e-12), cmath.isfinite(1j), cmath.isnan(complex("nan")), cmath.isinf(cmath.infj), cmath.log(8, 2), cmath.pi, cmath.nanj, cmath.exp(complex("inf")), cmath.sqrt(complex("-inf")))
class C:
    def __complex__(self): return 1 - 1j
print(complex(C()), cmath.sqrt(C()))
z += 1; z *= 1j; print(z, z.__class__, (1j).real, 1j.imag, 3 .conjugate(), (2.5).imag)
import json, copy
print(copy.copy(z), copy.deepcopy([z]))
def f(n: complex = 1j) -> complex: return n * n
print(f(), f(2), max([abs(1j), 2]), len({1j, 1j, 2}), 1j in [1j])
