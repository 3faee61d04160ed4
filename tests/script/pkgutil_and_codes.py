# What lies in packages, and the codes of pickles.
import os
import pickle
import pkgutil
import sys
import tempfile

with tempfile.TemporaryDirectory() as d:
    for name, text in (("pa/__init__.py", "x = 1\n"), ("pa/one.py", "y = 2\n"), ("pa/sub/__init__.py", ""), ("pa/sub/two.py", ""),
                       ("pa/data/note.txt", "words\n"), ("pb.py", "class C:\n    f = 3\n"), ("bad-name.py", "")):
        os.makedirs(os.path.dirname(os.path.join(d, name)), exist_ok=True)
        with open(os.path.join(d, name), "w") as f:
            f.write(text)
    sys.path.insert(0, d)
    import pa
    print([(m.name, m.ispkg) for m in pkgutil.iter_modules([d])])
    print([(m.name, m.ispkg) for m in pkgutil.iter_modules(pa.__path__, "pa.")])
    print([m.name for m in pkgutil.walk_packages(pa.__path__, "pa.")])
    print(pkgutil.get_data("pa", "data/note.txt"))
    print(pkgutil.resolve_name("pb:C.f"), pkgutil.resolve_name("pa.one.y"), pkgutil.resolve_name("pa.sub").__name__)
    print(pkgutil.extend_path(list(pa.__path__), "pa") == list(pa.__path__))
    for bad in (lambda: list(pkgutil.iter_modules("pa")),):
        try:
            bad()
        except ValueError as e:
            print(e)
    sys.path.remove(d)
codes = {k: getattr(pickle, k) for k in sorted(dir(pickle)) if k.isupper() and type(getattr(pickle, k)) is bytes}
print(len(codes), codes)
