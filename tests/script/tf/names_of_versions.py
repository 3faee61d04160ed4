# A name of version 1 says where it is; one that is nowhere does not.
import tensorflow as tf

for name in ("placeholder", "Session", "nothing"):
    try:
        getattr(tf, name)
    except AttributeError as e:
        print(str(e).split(":")[0])
print(hasattr(tf, "optimizers"), hasattr(tf, "metrics"), hasattr(tf, "Session"))
