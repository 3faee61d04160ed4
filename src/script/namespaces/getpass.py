# getpass -- who runs the program.
import os as _os


def getuser():
    for n in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if _os.environ.get(n):
            return _os.environ[n]
    return "user"


def getpass(prompt="Password: ", stream=None):
    raise NotImplementedError("getpass.getpass: there is no terminal" if stream is None else f"getpass.getpass: {prompt}")
