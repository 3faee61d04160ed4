# os.path beyond joining and splitting
import os
import os.path as osp
import tempfile

for p in ("", "a//b/../c/.", "/../a", "//x/y", "///x", "../../a", "a/../..", "./a/", "/a/b/../../.."):
    print(repr(p), repr(osp.normpath(p)), repr(osp.normcase(p)))
for p, s in (("a/b", "a"), ("a", "a/b/c"), ("/x/y", "/x/z/w"), (".", "."), ("/", "/a")):
    print(osp.relpath(p, s))
print(osp.commonprefix(["interspecies", "interstellar"]), osp.commonprefix([]), osp.commonpath(["/usr/lib", "/usr/local/lib"]),
      osp.commonpath(["a/b/c", "a/b"]))
for bad in (lambda: osp.commonpath(["/a", "b"]), lambda: osp.commonpath([]), lambda: osp.relpath("")):
    try:
        bad()
    except ValueError as e:
        print(e)
os.environ["WEFT_TEST_X"] = "val"
print(osp.expandvars("$WEFT_TEST_X/${WEFT_TEST_X}b/$NOT_THERE_X"), osp.splitdrive("/a/b"), osp.curdir, osp.pardir)
d = tempfile.mkdtemp()
f = osp.join(d, "x")
open(f, "w").close()
os.symlink("nowhere", osp.join(d, "l"))
print(osp.lexists(osp.join(d, "l")), osp.exists(osp.join(d, "l")), osp.samefile(f, osp.join(d, ".", "x")), osp.ismount("/"), osp.ismount(d))
print(osp.getmtime(f) > 0, osp.getatime(f) > 0, osp.getctime(f) > 0)
