# A list that is its own first element is no array.
import numpy as np

own = []
own.append(own)
for f in (np.array, np.asarray, np.sum, np.shape, np.ndim, np.stack):
    try:
        print(f(own))
    except ValueError as e:
        print(type(e).__name__)
