# torch.fx.experimental.proxy_tensor -- make_fx by its newer place.
from functorch._graphs import make_fx
