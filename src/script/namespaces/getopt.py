# getopt -- options of a command line, as C's getopt takes them.
import os as _os


class GetoptError(Exception):
    def __init__(self, msg, opt=""):
        self.msg, self.opt = msg, opt
        Exception.__init__(self, msg, opt)

    def __str__(self):
        return self.msg


error = GetoptError


def getopt(args, shortopts, longopts=[]):
    args, found = args[:], []
    longopts = [longopts] if isinstance(longopts, str) else list(longopts)
    while args and args[0].startswith("-") and args[0] != "-":
        if args[0] == "--":
            return found, args[1:]
        args = _one(found, args[0], args[1:], shortopts, longopts)
    return found, args


def gnu_getopt(args, shortopts, longopts=[]):
    found, rest = [], []
    longopts = [longopts] if isinstance(longopts, str) else list(longopts)
    first = shortopts.startswith("+") or bool(_os.environ.get("POSIXLY_CORRECT"))   # the first that is none ends them
    shortopts = shortopts[1:] if shortopts.startswith("+") else shortopts
    while args:
        if args[0] == "--":
            return found, rest + args[1:]
        if args[0][:1] == "-" and args[0] != "-":
            args = _one(found, args[0], args[1:], shortopts, longopts)
        elif first:
            return found, rest + args
        else:
            rest.append(args[0])
            args = args[1:]
    return found, rest


def _one(found, arg, args, shortopts, longopts):
    # takes the options of one argument, and of the next what they take; gives what is left
    if arg[:2] == "--":
        name, equals, value = arg[2:].partition("=")
        takes, name = _long(name, longopts)
        if takes:
            if not equals:
                if not args:
                    raise GetoptError("option --%s requires argument" % name, name)
                value, args = args[0], args[1:]
        elif equals:
            raise GetoptError("option --%s must not have an argument" % name, name)
        found.append(("--" + name, value))
        return args
    letters = arg[1:]
    while letters:
        c, letters = letters[0], letters[1:]
        value = ""
        if _short(c, shortopts):
            if not letters:
                if not args:
                    raise GetoptError("option -%s requires argument" % c, c)
                letters, args = args[0], args[1:]
            value, letters = letters, ""
        found.append(("-" + c, value))
    return args


def _long(name, longopts):
    # (does it take an argument?, its whole name)
    fits = [o for o in longopts if o.startswith(name)]
    if not fits:
        raise GetoptError("option --%s not recognized" % name, name)
    if name in fits:
        return False, name
    if name + "=" in fits:
        return True, name
    if len(fits) > 1:
        raise GetoptError("option --%s not a unique prefix" % name, name)
    return fits[0].endswith("="), fits[0].removesuffix("=")


def _short(c, shortopts):
    for i in range(len(shortopts)):
        if c == shortopts[i] != ":":
            return shortopts.startswith(":", i + 1)
    raise GetoptError("option -%s not recognized" % c, c)
