import numpy as np, gzip, io, tempfile, os
d = tempfile.mkdtemp()
p = os.path.join(d, "a.csv.gz")
with gzip.open(p, "wt") as f: f.write("# head\n1,2,3\n4,5,6\n")
print(np.loadtxt(p, delimiter=",", dtype=np.float32))
print(np.loadtxt(io.StringIO("1 2\n3 4\n\n5 6"), unpack=True), np.loadtxt(["1 2", "3 4"], usecols=1), np.loadtxt(io.StringIO("a b\n1 2\n3 4"), skiprows=1, dtype=int))
print(np.loadtxt(io.StringIO("1;2 % c\n3;4"), delimiter=";", comments="%", max_rows=1), np.loadtxt(io.StringIO("1 2\n3 4"), usecols=(1, 0)), np.loadtxt(io.StringIO("5")), np.loadtxt(io.StringIO("1 2"), ndmin=2).shape)
print(np.loadtxt(io.StringIO("1 x\n2 y"), converters={1: lambda s: {"x": 0.5, "y": 1.5}[s]}), np.loadtxt(io.StringIO("1e3 -inf\nnan 0x10"), converters=float if False else None) if False else "")
print(np.genfromtxt(io.StringIO("1,,3\n4,abc,6"), delimiter=","), np.genfromtxt(io.StringIO("x,y\n1,2\n3,4"), delimiter=",", skip_header=1), np.genfromtxt(io.StringIO("1 2\n3 4\n5 6"), skip_footer=1, filling_values=0, usecols=(0,)))
print(np.genfromtxt(io.StringIO("1,,3"), delimiter=",", filling_values=-1), np.genfromtxt(io.StringIO("1,N/A"), delimiter=",", missing_values="N/A", filling_values=9))
for bad in (lambda: np.loadtxt(io.StringIO("1 2\n3")), lambda: np.loadtxt(io.StringIO("1 b")), lambda: np.genfromtxt(io.StringIO("1 2\n3"))):
    try: bad()
    except ValueError as e: print("ValueError")
b = io.StringIO(); np.savetxt(b, np.arange(4.).reshape(2, 2), fmt="%.1f", delimiter=",", header="h"); print(b.getvalue())
