# functorch.experimental
from functorch import functionalize, vmap
