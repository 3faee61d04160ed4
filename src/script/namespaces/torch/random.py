# torch.random
from torch._creation import manual_seed, seed, initial_seed, get_rng_state, set_rng_state
from torch._types import default_generator


class fork_rng:
    # What is drawn inside does not change the numbers after it.
    def __init__(self, devices=None, enabled=True):
        self.enabled = enabled

    def __enter__(self):
        self.state = get_rng_state()
        return self

    def __exit__(self, kind, value, trace):
        if self.enabled:
            set_rng_state(self.state)
        return False
