# asyncio -- can be imported; what it has runs coroutines, which are outside the language.


def __getattr__(name):
    raise AttributeError(f"module 'asyncio' has no attribute '{name}': coroutines are outside this language")
