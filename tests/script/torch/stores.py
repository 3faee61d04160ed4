# Stores of values by key: in a process, in a file, for a port; what they answer, and how they say that nothing came.
import tempfile
import torch.distributed as dist
from datetime import timedelta
def tell(fn):
    try: print(fn())
    except Exception as e: print(type(e).__name__, str(e)[:200])
path = tempfile.mkdtemp() + "/store"
for s in (dist.HashStore(), dist.FileStore(path, 1), dist.TCPStore("localhost", 0, 1, True, timedelta(seconds=5))):
    print(type(s).__name__)
    tell(lambda: s.set("a", "1")); tell(lambda: s.get("a")); tell(lambda: s.add("n", 3)); tell(lambda: s.add("n", -1)); tell(lambda: s.get("n"))
    tell(lambda: s.check(["a"])); tell(lambda: s.check(["a", "z"])); tell(lambda: s.compare_set("a", "1", "2")); tell(lambda: s.compare_set("a", "1", "3"))
    tell(lambda: s.compare_set("new", "", "x")); tell(lambda: s.compare_set("new2", "zz", "x"))
    tell(lambda: s.delete_key("a")); tell(lambda: s.delete_key("a")); tell(lambda: s.num_keys())
    tell(lambda: s.wait(["q"], timedelta(milliseconds=100)))
    s.set_timeout(timedelta(milliseconds=100))
    tell(lambda: s.get("zzz")); tell(lambda: s.timeout)
    tell(lambda: s.append("l", "ab")); tell(lambda: s.append("l", "cd")); tell(lambda: s.get("l"))
    tell(lambda: s.multi_set(["u", "v"], ["1", "2"])); tell(lambda: s.multi_get(["u", "v"])); tell(lambda: s.has_extended_api())
    p = dist.PrefixStore("pre", s); tell(lambda: p.set("k", "v")); tell(lambda: s.get("pre/k")); tell(lambda: p.get("k")); tell(lambda: p.wait(["no"], timedelta(milliseconds=50)))
    s.set_timeout(timedelta(seconds=3))
print(dist.get_default_backend_for_device("cpu"), dist.get_default_backend_for_device("cuda"), dist.is_backend_available("gloo"), dist.supports_complex(dist.ReduceOp.MAX), dist.supports_complex(dist.ReduceOp.SUM), dist.default_pg_timeout)
