"""setup.py -- builds weft._weft, with Weft's library inside, against Python's limited API: one wheel for 3.11 and later.

The library is what `make` builds in the tree this folder stands in (WEFT_BUILD names another build folder).
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path(os.environ.get("WEFT_BUILD", ROOT / "build")).resolve()
VERSION = re.search(r'WF_VERSION "(.*)"', (ROOT / "include/weft.h").read_text()).group(1)
os.chdir(HERE)


class Build(build_ext):  # also makes the library, and a method for each function of tensors
    def run(self):
        subprocess.run(["make", "-s", f"BUILD={BUILD}", f"{BUILD}/libweft.a"], cwd=ROOT, check=True)
        ops = Path(self.build_temp) / "ops.c"
        ops.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, HERE / "gen_ops.py", ROOT / "include", ops], check=True)
        sources = self.extensions[0].sources
        sources += [str(ops)] if str(ops) not in sources else []
        super().run()


def manylinux(path):
    """The newest glibc that the module asks for, as the tag of a platform."""
    text = subprocess.run(["objdump", "-T", path], capture_output=True, text=True).stdout
    newest = max((tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", text)), default=(2, 17))
    return f"manylinux_{newest[0]}_{max(newest[1], 17)}_{os.uname().machine}"


commands = {"build_ext": Build}
try:
    from wheel.bdist_wheel import bdist_wheel

    class Wheel(bdist_wheel):
        def get_tag(self):
            python, abi, platform = super().get_tag()
            built = list(Path(self.bdist_dir or "build").rglob("_weft*.so")) or list((HERE / "build").rglob("_weft*.so"))
            return python, abi, manylinux(built[0]) if built and sys.platform == "linux" else platform

    commands["bdist_wheel"] = Wheel
except ImportError:  # pip brings it where a wheel is made
    pass

setup(
    version=VERSION,
    packages=["weft"],
    package_data={"weft": ["py.typed", "*.pyi"]},
    ext_modules=[Extension(
        "weft._weft",
        sources=sorted(f"src/{p.name}" for p in (HERE / "src").glob("*.c")),
        depends=["src/weftpy.h"],
        include_dirs=["src", str(ROOT / "include")],
        extra_objects=[str(BUILD / "libweft.a")],
        libraries=["m", "pthread", "dl"],
        extra_compile_args=["-std=c17", "-O2", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-cast-function-type",
                            "-Wno-missing-field-initializers"] + os.environ.get("WEFT_PY_CFLAGS", "").split(),
        extra_link_args=["-s", "-Wl,--gc-sections", "-Wl,--exclude-libs,ALL"],
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        py_limited_api=True)],
    cmdclass=commands,
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
