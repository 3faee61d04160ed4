# Slices are equal, and ordered, as the tuples of their three numbers.
print(slice(1, 2, 3) == slice(1, 2, 3), slice(1) != slice(1), slice(1, 2) == slice(1, 3), slice(None) == slice(None, None, None), slice(1) == (None, 1, None))
print(slice(1, 2, 3) < slice(1, 3, 3), slice(1, 2, 3) >= slice(1, 2, 3), [slice(2), 5].index(slice(2)), (slice(1), 2) == (slice(1), 2))
try:
    slice(None, 1) < slice(1, 2)
except TypeError:
    print("TypeError")
