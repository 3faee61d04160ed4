# email -- its dates and addresses; messages are not here.


def __getattr__(name):
    if name == "utils":
        return __import__("email.utils").utils
    raise AttributeError(f"module 'email' has no attribute '{name}': email.utils is here")
