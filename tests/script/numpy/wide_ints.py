# Ints from 2**63 on are uint64; keys by index_exp.
import numpy as np

big = 17649965731882839947
print(np.uint64(2**64 - 1), np.array([big, 1]), np.array([big, 2**63]).dtype, np.array([big, 1], dtype=np.uint64), np.array([[2**63]]).shape, np.array(big, dtype=np.uint64) % np.uint64(1000))
print(np.array([big, 0.5]), np.s_[1:3], np.index_exp[1:3], np.index_exp[0, ...], np.arange(4)[np.s_[1:3]])
