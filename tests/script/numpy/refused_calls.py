# What NumPy refuses, by the same class of exception and in its words.
import numpy as np

cases = """
np.zeros(3)[np.array([1.])]
np.random.normal(0, -1)
np.random.default_rng(0).normal(0, -1)
np.random.choice(3, 5, replace=False)
np.histogram([1], bins=0)
np.percentile([1], 101)
np.quantile([1], 1.5)
np.interp(1, [], [])
np.interp(1, [1, 2], [1])
np.cross([1], [2])
np.insert([1, 2], 5, 1)
np.insert([1, 2], -3, 1)
np.insert([1, 2], 2, 1)
np.transpose(np.zeros((2, 3)), (0, 0))
np.vectorize(3)
np.arange()
np.full(2, "a", float)
np.full(2, "1.5", float)
np.full(2, "7", int)
np.random.choice([])
np.random.default_rng(0).choice(3, 5, replace=False)
np.zeros(-1)
"""
for case in cases.strip().split("\n"):
    try:
        print(case, "->", eval(case))
    except Exception as e:
        print(case, "->", type(e).__name__, str(e).split("\n")[0])
