# tensorflow.compat.v1.flags, tf.app.flags -- options of the command line as programs of version 1 define them: each has a
# name, a default and a kind, and is an attribute of FLAGS. The command line is read when the first is asked for.
import sys as _sys


class Error(Exception):
    pass


class DuplicateFlagError(Error):
    pass


class IllegalFlagValueError(Error):
    pass


class UnrecognizedFlagError(Error, AttributeError):
    pass


class ValidationError(Error):
    pass


class Flag:
    def __init__(self, parse, name, default, help, boolean=False, multi=False):
        self._parse, self.name, self.help, self.boolean, self.multi, self.present = parse, name, help, boolean, multi, 0
        self.default = self.value = self._read(default)

    def _read(self, x):
        if x is None:
            return None
        if self.multi:
            return [self._one(v) for v in (x if isinstance(x, (list, tuple)) else [x])]
        return self._one(x)

    def _one(self, x):
        try:
            return self._parse(x)
        except (ValueError, TypeError) as e:
            raise IllegalFlagValueError(f"flag --{self.name}={x}: {e}") from None

    def take(self, text):
        given = self._read(text)
        self.value = self.value + given if self.multi and self.present else given
        self.present += 1


class FlagValues:
    def __init__(self):
        self.__dict__.update(_by_name={}, _checks=[], _parsed=False)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._parsed:
            self(_sys.argv)
        if name not in self._by_name:
            raise AttributeError(name)
        return self._by_name[name].value

    def __setattr__(self, name, value):
        if name not in self._by_name:
            raise AttributeError(name)
        self._by_name[name].value = value
        self._check()

    def __delattr__(self, name):
        if name not in self._by_name:
            raise AttributeError(name)
        del self._by_name[name]

    def __getitem__(self, name):
        return self._by_name[name]

    def __contains__(self, name):
        return name in self._by_name

    def __iter__(self):
        return iter(sorted(self._by_name))

    def __len__(self):
        return len(self._by_name)

    def __dir__(self):
        return sorted(self._by_name)

    def is_parsed(self):
        return self._parsed

    def mark_as_parsed(self):
        self.__dict__["_parsed"] = True

    def flag_values_dict(self):
        return {name: f.value for name, f in self._by_name.items()}

    def _check(self):
        for names, test, message in self._checks:
            values = {n: self._by_name[n].value for n in names}
            if not test(values if len(names) > 1 else values[names[0]]):
                raise IllegalFlagValueError(f"flag --{names[0]}={values[names[0]]}: {message}")

    def __call__(self, argv, known_only=False):
        # The command line; what is no option is given back, after the program's name.
        self.mark_as_parsed()
        rest, args = [argv[0]], iter(argv[1:])
        for a in args:
            if a == "--":
                rest += list(args)
            elif not a.startswith("-") or a == "-":
                rest.append(a)
            else:
                self._option(a, args, rest, known_only)
        self._check()
        return rest

    def _option(self, a, args, rest, known_only):
        name, has, text = a.lstrip("-").partition("=")
        flag = self._by_name.get(name)
        if flag is None and name.startswith("no") and not has and name[2:] in self._by_name and self._by_name[name[2:]].boolean:
            flag, has, text = self._by_name[name[2:]], "=", "false"
        if flag is None:
            if name in ("help", "helpfull", "h", "helpshort"):
                print(self.main_module_help())
                raise SystemExit(1)
            if not known_only:
                raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
            rest.append(a)
            return
        if not has:
            text = "true" if flag.boolean else next(args, None)
            if text is None:
                raise Error(f"Missing value for flag {a}")
        flag.take(text)

    def main_module_help(self):
        lines = [f"\n       USAGE: {_sys.argv[0]} [flags]\nflags:\n"]
        for name in self:
            f = self._by_name[name]
            lines.append(f"  --{'[no]' if f.boolean else ''}{name}: {f.help}" + ("" if f.default is None else f"\n    (default: {str(f.default)!r})"))
        return "\n".join(lines)


FLAGS = FlagValues()


def _boolean(x):
    if isinstance(x, str):
        if x.lower() in ("true", "t", "1"):
            return True
        if x.lower() in ("false", "f", "0"):
            return False
    elif x in (True, False):
        return bool(x)
    raise ValueError("Non-boolean argument to boolean flag", x)


def _integer(x):
    if isinstance(x, str):
        return int(x, 16) if x.lower().startswith("0x") else int(x)
    if int(x) != x:
        raise ValueError("Expect argument to be an integer")
    return int(x)


def _text(x):
    if not isinstance(x, str):
        raise TypeError(f"flag value must be a string, found {type(x)}")
    return x


def _parts(separator):
    return lambda x: list(x) if isinstance(x, (list, tuple)) else [s.strip() for s in x.split(separator)] if x else []


def _within(parse, lower, upper):
    def read(x):
        v = parse(x)
        if (lower is not None and v < lower) or (upper is not None and v > upper):
            raise ValueError(f"{v} is not " + (f"in the range [{lower}, {upper}]" if None not in (lower, upper)
                                               else f"<= {upper}" if lower is None else f">= {lower}"))
        return v
    return read


def _define(parse, name, default, help, flag_values=FLAGS, **kinds):
    if name in flag_values:
        raise DuplicateFlagError(f"The flag '{name}' is defined twice.")
    flag_values._by_name[name] = Flag(parse, name, default, help, **kinds)


def DEFINE_string(name, default, help, flag_values=FLAGS):
    _define(_text, name, default, help, flag_values)


def DEFINE_boolean(name, default, help, flag_values=FLAGS):
    _define(_boolean, name, default, help, flag_values, boolean=True)


DEFINE_bool = DEFINE_boolean


def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS):
    _define(_within(float, lower_bound, upper_bound), name, default, help, flag_values)


def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS):
    _define(_within(_integer, lower_bound, upper_bound), name, default, help, flag_values)


def DEFINE_enum(name, default, enum_values, help, flag_values=FLAGS):
    def read(x):
        if x not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return x
    _define(read, name, default, help, flag_values)


def DEFINE_list(name, default, help, flag_values=FLAGS):
    _define(_parts(","), name, default, help, flag_values)


def DEFINE_spaceseplist(name, default, help, flag_values=FLAGS):
    _define(_parts(None), name, default, help, flag_values)


def DEFINE_multi_string(name, default, help, flag_values=FLAGS):
    _define(_text, name, default, help, flag_values, multi=True)


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS):
    _define(_within(_integer, lower_bound, upper_bound), name, default, help, flag_values, multi=True)


def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS):
    _define(_within(float, lower_bound, upper_bound), name, default, help, flag_values, multi=True)


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=FLAGS):
    flag_values._checks.append(([flag_name], checker, message))


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    register_validator(flag_name, lambda v: v is not None, f"Flag --{flag_name} must have a value other than None.", flag_values)


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    for n in flag_names:
        mark_flag_as_required(n, flag_values)


def run(main=None, argv=None):
    # tf.app.run: reads the command line, runs main with the rest, ends the program with what it gives.
    try:
        rest = FLAGS(_sys.argv if argv is None else argv)
    except Error as e:
        _sys.stderr.write(f"FATAL Flags parsing error: {e}\nPass --helpshort or --helpfull to see help on flags.\n")
        _sys.exit(1)
    _sys.exit((main or _sys.modules["__main__"].main)(rest))
