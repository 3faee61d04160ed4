# getopt's ways to read a command line, and the module behind os.path.
import getopt
import os
import posixpath

for args, short, long in ((["-a", "-bval", "-c", "x", "rest", "-a"], "ab:c:", []), (["--foo", "--bar=3", "--baz", "4", "-", "x"], "", ["foo", "bar=", "baz="]),
                          (["--fo", "--", "-a"], "a", ["foo"]), (["x", "-a", "y", "--ver"], "a", ["version"]), (["-abc"], "abc", []), (["--bar="], "", ["bar="]),
                          ([], "a", []), (["--x=1"], "", "x=")):
    for fn in (getopt.getopt, getopt.gnu_getopt):
        print(fn(args, short, long))
for args, short, long in ((["-z"], "a", []), (["-a"], "a:", []), (["--nope"], "", ["foo"]), (["--foo=1"], "", ["foo"]), (["--ba"], "", ["bar", "baz="]),
                          (["--bar"], "", ["bar="]), (["-:"], "a:", [])):
    try:
        print(getopt.getopt(args, short, long))
    except getopt.GetoptError as e:
        print(str(e), repr(e.opt), e.msg, e.args, getopt.error is getopt.GetoptError)
print(getopt.gnu_getopt(["x", "-a"], "+a"), getopt.gnu_getopt(["-a", "x", "-a"], "+a"))
print(posixpath.join("a", "b"), posixpath.splitext("x/y.tar.gz"), posixpath.normpath("a/../b//c"), posixpath.sep, os.path is posixpath)
