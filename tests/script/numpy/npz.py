# Several arrays in one file.
import os
import tempfile

import numpy as np

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a")
    for save in (np.savez, np.savez_compressed):
        save(path, np.arange(6).reshape(2, 3), x=np.array([1.5, -2.0], np.float32), flag=np.array(True))
        with np.load(path + ".npz") as f:
            print(sorted(f.files), len(f), "x" in f, "y" in f, "x.npy" in f)
            print(f["arr_0"], f["x"], f["x"].dtype, f["flag"], f["flag"].shape)
            print(sorted((k, v.shape) for k, v in f.items()), [k for k in f] == f.files)
            try:
                f["y"]
            except KeyError as e:
                print(e)
            print(f.get("y", 3), repr(f).replace(folder, ""))
    try:
        np.savez(path, 1, arr_0=2)
    except ValueError as e:
        print(e)
    np.savez(os.path.join(folder, "b.npz"), np.eye(2))
    print(np.load(os.path.join(folder, "b.npz"))["arr_0"])
