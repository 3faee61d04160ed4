import sys, importlib, importlib.util, importlib.abc, importlib.machinery, os, tempfile
d = tempfile.mkdtemp()
open(d + "/plug.py", "w").write("import sys\nx = 1\ndef f(): return __name__\n")
spec = importlib.util.spec_from_file_location("my.plug", d + "/plug.py")
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
print(m.x, m.f(), m.__name__, spec.parent, os.path.basename(m.__file__))
class Finder(importlib.abc.MetaPathFinder):
    def __init__(self): self.asked = []
    def find_spec(self, fullname, path, target=None):
        self.asked.append(fullname)
        if fullname == "made_up":
            return importlib.util.spec_from_loader(fullname, Load())
class Load(importlib.abc.Loader):
    def exec_module(self, module): module.value = 42
f = Finder()
sys.meta_path.insert(0, f)
import made_up
print(made_up.value, made_up.__name__, made_up.__spec__.name)
try:
    import not_there
except ModuleNotFoundError as e: print(e)
print(f.asked)
sys.path.insert(0, d)
import plug
open(d + "/plug.py", "w").write("x = 2\n")
sys.meta_path.remove(f)
print(importlib.reload(plug) is plug, plug.x, plug.f())
print(importlib.util.find_spec("plug") is not None, importlib.util.find_spec("nowhere"))
