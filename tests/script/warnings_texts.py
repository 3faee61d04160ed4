import sys, warnings
class Out:
    def write(self, s): print("|" + s.rstrip("\n").replace("\n", "\n|").replace(__file__, "F"))
sys.stderr = Out()
def f(n): warnings.warn("careful", stacklevel=n)
for i in range(2):
    f(1)
f(2)
warnings.warn("old", DeprecationWarning)
with warnings.catch_warnings(record=True) as got:
    warnings.simplefilter("always")
    for i in range(2): warnings.warn("x", RuntimeWarning)
    warnings.warn(UserWarning("y"))
print([(str(w.message), w.category.__name__, w.lineno) for w in got])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try: warnings.warn("boom", FutureWarning)
    except FutureWarning as e: print("raised", e)
    warnings.filterwarnings("ignore", message="qu.et")
    warnings.warn("quiet please")
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    warnings.warn("r", RuntimeWarning)
with warnings.catch_warnings():
    warnings.simplefilter("once")
    for i in range(3): warnings.warn("single")
warnings.filterwarnings("ignore")
warnings.warn("not shown")
try: warnings.warn("a", int)
except TypeError as e: print(e)
print(warnings.formatwarning("m", UserWarning, "a.py", 3, "code()"), end="")
def show(message, category, filename, lineno, file=None, line=None): print("own", message, category.__name__)
with warnings.catch_warnings():
    warnings.resetwarnings()
    warnings.showwarning = show
    warnings.warn("mine")
print(len(warnings.filters) > 0)
