# One test file: loads it with the stand-ins and runs its cases from the given one on; `run` reads what it says.
import sys, os, time, types
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stand
path, first, names = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",") if len(sys.argv) > 3 and sys.argv[3] else []
only = sys.argv[4:] 
stand.hollow(names)
for n in ("lax_test_util", "test_harnesses"):
    if "jax._src.internal_test_util." + n in names:
        m = stand.real("jax._src.internal_test_util." + n, stand.HELPERS + "/internal_test_util/" + n + ".py")
        sys.modules["jax._src.internal_test_util"].__dict__[n] = m
import unittest
say = stand.say
m = types.ModuleType("__test__")
m.__dict__["__name__"] = "__test__"
m.__dict__["__file__"] = path
sys.modules["__test__"] = m
sys.path.insert(0, os.path.dirname(path))
src = stand.patched(path)
exec(compile(src, path, "exec"), m.__dict__)
stand.LOADING[0] = False
cases = []
for name in list(m.__dict__):
    c = m.__dict__[name]
    if isinstance(c, type) and issubclass(c, unittest.TestCase) and c.__module__ in ("__test__", "__main__") :
        for t in sorted(dir(c)):
            if t.startswith("test") and callable(getattr(c, t)):
                cases.append((c, t))
seen = set()
cases = [x for x in cases if not ((x[0].__name__, x[1]) in seen or seen.add((x[0].__name__, x[1])))]
say("N", len(cases))
import traceback
last = None
for i, (c, t) in enumerate(cases):
    if i < first: continue
    if only and not any(o in c.__name__ + "." + t for o in only): continue
    if c is not last:
        if last is not None:
            try: last.tearDownClass()
            except Exception: pass
        last = c
        try:
            c.setUpClass()
        except unittest.SkipTest:
            pass
        except Exception as e:
            say("CLASSFAIL", c.__name__, repr(e))
    say("S", i, c.__name__ + "." + t)
    t0 = time.time()
    class R(unittest.TestResult):
        pass
    r = R()
    try:
        case = c(t)
        case.run(r)
    except Exception as e:
        say("F", i, "E", type(e).__name__, str(e)[:1500], time.time() - t0, ""); continue
    if r.skipped:
        say("F", i, "K", "", r.skipped[0][1], time.time() - t0, "")
    elif r.errors or r.failures:
        text = (r.errors or r.failures)[0][1]
        if os.environ.get("VERBOSE"): print(text)
        lines = [x for x in text.strip().split("\n")]
        say("F", i, "E" if r.errors else "A", "", "\n".join(lines[-14:])[-1500:], time.time() - t0, "\n".join(x for x in lines if "File" in x)[-600:])
    else:
        say("F", i, "P", "", "", time.time() - t0, "")
say("END")
os._exit(0)
