# Folders with a slash at their end; modules of a package that only the package was imported for.
import os
import tempfile
import urllib
from pathlib import Path

with tempfile.TemporaryDirectory() as top:
    os.makedirs(top + "/out/")
    os.makedirs(top + "/a/b//", exist_ok=True)
    os.makedirs(top + "/a/b/", exist_ok=True)
    print(sorted(os.listdir(top)), os.listdir(top + "/a"))
    try:
        os.makedirs(top + "/out/")
    except FileExistsError as e:
        print(e.errno)
print(urllib.parse.quote("a b"), Path("a/b/").name)
