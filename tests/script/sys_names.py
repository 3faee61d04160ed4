import sys
print(sys.version_info >= (3, 8), sys.version_info.major, sys.version_info[:2] == (3, 11), sys.float_info.epsilon, sys.float_info.max, sys.maxunicode)
print(sys.stdout.encoding, sys.stdout.fileno(), sys.flags.optimize, sys.getdefaultencoding(), sys.stdout.writable(), sys.implementation.name)
sys.stdout.flush(); sys.stdout.buffer.write(b"bytes\n"); sys.stdout.buffer.flush(); sys.stdout.writelines(["a\n", "b\n"])
try: sys.not_a_name
except AttributeError: print("AttributeError")
import builtins
print(hasattr(builtins, "apply"), builtins.len([1]))
try: exit(3)
except SystemExit as e: print(e.code)
try: quit()
except SystemExit as e: print(e.code)
