# Dtypes with fields: making them, fields as views, records, masks, sorting, joining, printing, attributes.
import numpy as np

people = np.array([("Rex", 9, 81.0), ("Fido", 3, 27.5), ("Ada", 30, 61.25)], dtype=[("name", "U10"), ("age", "i4"), ("weight", "f4")])
print(people, repr(people), people.dtype, people.dtype.names, people.itemsize, people.shape, people.nbytes)
print(people["name"], people["age"], people[1], repr(people[1]), people[1]["name"], people[-1][2], people[people["age"] < 10]["name"])
people["age"] = 5
people[0] = ("Max", 7, 20)
people[2]["weight"] = 0.5
people["age"][1:] += 2
print(people, people["age"].mean(), [tuple(p) for p in people], people.tolist(), people[0].item(), len(people[0]))
for name, age, weight in people:
    print(name, age, weight)
print(people[["age", "name"]], people[["age"]].dtype.names, people[1:], people[::-1]["name"], people[[0, 2]], people[people["name"] == "Max"])

z = np.zeros((2, 3), dtype=[("x", float), ("y", float)])
z["x"], z["y"] = np.meshgrid(np.linspace(0, 1, 3), np.linspace(0, 1, 2))
print(z, repr(z), z.dtype.fields["y"], z.T.shape, z.reshape(3, 2)["x"], z[1], z[:, 0], z[1, 2], z.size, z.ndim)
n = np.zeros(2, [("position", [("x", float), ("y", float)]), ("color", [("r", float), ("g", float), ("b", float)])])
n["position"]["x"] = [1, 2]
n[1]["color"]["g"] = 0.5
print(n, n.dtype, n["position"], n["color"]["g"], n[0]["position"]["x"])
s = np.zeros(2, [("m", float, (2, 2)), ("k", "i2", 3), ("one", np.int32)])
s["m"] = np.eye(2)
s["k"][1] = [7, 8, 9]
s["k"][..., 0] = -10
print(s, s["m"].shape, s["k"].sum(), s.dtype, s[1]["k"], s.dtype["m"].shape, s[0])

print(np.dtype("i4, f8, S5"), np.dtype({"names": ("a", "b"), "formats": ("i4", (np.str_, 10))}), np.dtype([("a", ">i4")]) if False else "", np.dtype([("", "f4"), ("", "f8")]))
print(np.dtype([("a", "i4")]) == [("a", "<i4")], np.dtype([("a", "i4")]) == np.dtype([("b", "i4")]), np.dtype("(2,3)f4, i8"))
w = np.zeros(3, dtype="i4, f8, S5")
w[:] = [(1, 2.5, b"one"), (20, -3.25, b"two"), (300, 1e10, b"three")]
print(w, w["f2"], w["f0"])
d = np.array([("James", 5, 48.5), ("Pit", 5, 40.11), ("Paul", 4, 42.1)], dtype=[("name", "S15"), ("class", int), ("height", float)])
print(np.sort(d, order="height"), np.sort(d, order=["class", "height"]), np.argsort(d, order="height"), np.sort(d)["name"])
d.sort(order="class")
print(d["name"], np.concatenate([d, d[:1]])["class"], np.append(d, d[2:])["height"], np.unique(np.array([(2, 1), (1, 5), (2, 1)], "i4, i4")))
print(d == d, d[0] == d[0], (d != d[::-1]), np.array_equal(d, d.copy()), d.dtype.itemsize, np.array([(1,), (2,)], dtype=[("only", int)]))
t = np.array([("2000-01-01", 1.5), ("2001-05-06", 2.25)], dtype=[("when", "M8[D]"), ("value", float)])
print(t, t["when"] - t["when"][0], t[t["when"] > np.datetime64("2000-06-01")])
e = np.array([(1.5, True, 1 + 2j), (-100, False, 0)], dtype=[("f", float), ("b", bool), ("c", complex)])
print(e, e.copy()["b"], np.empty_like(e).dtype == e.dtype, np.zeros(0, e.dtype), np.ones(2, [("a", int), ("b", float)]))

r = d.view(np.recarray)
print(r.height, r[0].name, r.name, type(r).__name__, r[r.height > 42]["name"], repr(r))
q = np.rec.array([(1, 2.0, "Hello"), (2, 3.0, "World")], dtype=[("foo", "i4"), ("bar", "f4"), ("baz", "S10")])
q.foo = [5, 6]
print(q, q.bar, q[1].baz, q.foo.sum(), np.rec.fromarrays([np.arange(3), np.arange(3) / 2], names="a,b"))
print(np.rec.fromarrays(np.array([("Hello", 2.5, 3), ("World", 3.6, 2)]).T, names="col1, col2, col3", formats="S8, f8, i8"))
pairs = np.array([[3, 1], [3, 1], [2, 7]])
print(np.unique(pairs.view([("p", pairs.dtype), ("q", pairs.dtype)])), pairs.view([("p", pairs.dtype), ("q", pairs.dtype)]).shape)
for wrong in (lambda: people["nobody"], lambda: np.dtype([("a", int), ("a", float)]), lambda: np.array([(1, 2, 3)], "i4, i4"), lambda: np.zeros(2, [("a",)])):
    try:
        print(wrong())
    except Exception as x:
        print(type(x).__name__)
