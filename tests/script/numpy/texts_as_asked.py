# Texts of arrays in forms that are asked for.
import numpy as np
print(np.get_printoptions())
x = np.array([1.5, -2.25, 3.14159265, 1e-3])
np.set_printoptions(formatter={"float": "{: 0.3f}".format})
print(x); print(repr(x)); print(np.arange(6.0).reshape(2, 3)); print(np.arange(3)); print(repr(np.float32([1, 2])))
np.set_printoptions(formatter={"all": lambda v: "int: " + str(-v)})
print(repr(np.arange(3)))
np.set_printoptions()
print(repr(np.arange(3)), np.get_printoptions()["formatter"])
for mode in ("fixed", "unique", "maxprec", "maxprec_equal"):
    with np.printoptions(floatmode=mode, precision=4):
        print(mode, x, np.array([1.0, 2.5]), np.array([0.1, 0.123456789], np.float32), np.array([1e10, 1.0]), np.array([1 / 3, 2 / 3, 1]))
        print(repr(x), np.array([1 + 2j, 0.5 - 1j]), np.array([np.nan, 1.5, -np.inf]))
for s in ("-", "+", " "):
    with np.printoptions(sign=s):
        print(s, x, np.array([1.0, 2.0]), np.array([1, -2]), np.array([1, 2]), np.array([np.inf, np.nan, 1.0]), np.array([1 + 1j]), np.array([-1.0, 2.0]))
with np.printoptions(nanstr="NaN!", infstr="oo"):
    print(np.array([np.nan, 1.0]), np.array([np.inf, -np.inf, 123456.0]), np.array([[np.nan]]))
print(np.array2string(np.arange(5), separator=","))
print(np.array2string(np.arange(6).reshape(2, 3), separator=", "))
print(np.array2string(np.arange(24).reshape(2, 3, 4), separator=";", prefix="here: "))
print(np.array2string(x, precision=2, separator=",", suppress_small=True))
print(np.array2string(x, formatter={"float_kind": lambda v: "%.2f" % v}), np.array2string(np.array([1 + 2j]), formatter={"complexfloat": lambda v: f"<{v}>"}))
print(np.array2string(np.arange(2000), threshold=10, edgeitems=2), np.array2string(np.arange(100.0), max_line_width=40))
print(np.array2string(np.arange(30) * 1000, separator=", ", max_line_width=50, prefix="array(", suffix=")"))
print(np.array2string(np.array(3.14159), precision=2), np.array2string(np.array(7)), np.array2string(np.array([]), separator=","))
print(np.array2string(np.array(["a", "bcd"]), separator="|"), np.array2string(np.array([True, False]), separator=", "))
with np.printoptions(sign="+", linewidth=40):
    print(repr(np.arange(20.0)), repr(np.arange(12, dtype=np.int16)))
    print(np.arange(2000.0)); print(repr(np.zeros((0, 3))))
with np.printoptions(floatmode="fixed", precision=2, threshold=6):
    print(np.arange(40.0).reshape(4, 10)); print(repr(np.random.RandomState(0).rand(3, 3, 3)))
for bad in (lambda: np.set_printoptions(floatmode="x"), lambda: np.set_printoptions(sign="x"), lambda: np.set_printoptions(threshold=np.nan)):
    try:
        bad()
    except ValueError as e:
        print(e)
