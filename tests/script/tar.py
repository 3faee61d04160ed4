# tarfile: written, read, extracted; long names, links, gzip, names that lead out.
import io
import os
import tarfile
import tempfile

folder, before = tempfile.mkdtemp(), os.getcwd()
os.chdir(folder)
os.makedirs("data/deep")
with open("data/a.txt", "w") as f:
    f.write("hello\n" * 3)
with open("data/deep/b.bin", "wb") as f:
    f.write(bytes(range(256)) * 5)
os.symlink("a.txt", "data/link")
for mode, name in (("w", "x.tar"), ("w:gz", "x.tar.gz")):
    with tarfile.open(name, mode) as t:
        t.add("data")
        info = tarfile.TarInfo("made/" + "long" * 40 + "/é.txt")
        info.size, info.mtime = 5, 1000
        t.addfile(info, io.BytesIO(b"12345"))
    print(tarfile.is_tarfile(name), tarfile.is_tarfile("data/a.txt"), os.path.getsize("x.tar") % 10240)
    with tarfile.open(name) as t:
        print(sorted(t.getnames()) == sorted(m.name for m in t), [n[-10:] for n in t.getnames()])
        m = t.getmember("data/deep/b.bin")
        print(m.size, m.isfile(), m.isdir(), m.mode == os.stat("data/deep/b.bin").st_mode & 0o7777, t.getmember("data").isdir())
        print(t.extractfile("data/link").read(), t.extractfile("data") is None)
        print(t.extractfile(t.getnames()[-1]).read(), t.getmembers()[-1].mtime, t.getmember("data/link").linkname)
        t.extractall("out" + mode[1:].replace(":", ""), filter="data")
    print(open("out" + mode[1:].replace(":", "") + "/data/link").read() == "hello\n" * 3)
try:
    tarfile.open("x.tar").getmember("nothing")
except KeyError as e:
    print(e)
with tarfile.open("bad.tar", "w") as t:
    info = tarfile.TarInfo("../out.txt")
    info.size = 1
    t.addfile(info, io.BytesIO(b"1"))
try:
    tarfile.open("bad.tar").extractall("safe", filter="data")
except tarfile.OutsideDestinationError as e:
    print("refused", os.path.exists("out.txt"))
try:
    tarfile.open("data/deep/b.bin")
except tarfile.ReadError:
    print("no archive")
b = io.BytesIO()
with tarfile.open(fileobj=b, mode="w|gz") as t:
    t.add("data/a.txt", arcname="renamed")
b.seek(0)
with tarfile.open(fileobj=b, mode="r|gz") as t:
    for m in t:
        print(m.name, m.size, m.type)
os.chdir(before)
