# argparse -- options and arguments of a command line.
import os as _os
import sys as _sys

SUPPRESS = "==SUPPRESS=="
OPTIONAL, ZERO_OR_MORE, ONE_OR_MORE, PARSER, REMAINDER = "?", "*", "+", "A...", "..."


class ArgumentError(Exception):
    def __init__(self, argument, message):
        self.argument_name = argument._shown() if argument is not None else None
        self.message = message

    def __str__(self):
        return self.message if self.argument_name is None else f"argument {self.argument_name}: {self.message}"


class ArgumentTypeError(Exception):
    pass


class Namespace:
    def __init__(self, **kwargs):
        for k, v in kwargs.items():
            setattr(self, k, v)

    def __eq__(self, other):
        return vars(self) == vars(other) if isinstance(other, Namespace) else NotImplemented

    def __contains__(self, key):
        return key in self.__dict__

    def __repr__(self):
        parts, odd = [], {}
        for k, v in self.__dict__.items():
            if k.isidentifier():
                parts.append(f"{k}={v!r}")
            else:
                odd[k] = v
        if odd:
            parts.append(f"**{odd!r}")
        return f"{type(self).__name__}({', '.join(parts)})"


class HelpFormatter:
    def __init__(self, prog, indent_increment=2, max_help_position=24, width=None):
        if width is None:
            width = int(_os.environ.get("COLUMNS", 80)) - 2
        self._prog, self._width = prog, width
        self._max = min(max_help_position, max(width - 20, indent_increment * 2))

    def _metavar(self, a, default):
        if a.metavar is not None:
            return a.metavar
        if a.choices is not None:
            return "{" + ",".join(str(c) for c in a.choices) + "}"
        return default

    def _args(self, a, default):
        m = self._metavar(a, default)
        one = lambda n: tuple(m) if isinstance(m, tuple) else (m,) * n
        n = a.nargs
        if n is None:
            return one(1)[0]
        if n == "?":
            return f"[{one(1)[0]}]"
        if n == "*":
            return f"[{one(1)[0]} ...]" if len(one(1)) < 2 else f"[{m[0]} [{m[1]} ...]]"
        if n == "+":
            return f"{one(2)[0]} [{one(2)[1]} ...]"
        if n == "...":
            return "..."
        if n == "A...":
            return f"{one(1)[0]} ..."
        return " ".join(one(n))

    def _usage_parts(self, actions, groups):
        out, done = [], set()
        for a in actions:
            if a.help is SUPPRESS or id(a) in done:
                continue
            g = next((g for g in groups if a in g._group_actions), None)
            if g is not None and all(x.help is not SUPPRESS for x in g._group_actions):
                inner = " | ".join(self._usage_one(x, True) for x in g._group_actions)
                out.append(f"({inner})" if g.required else f"[{inner}]" if len(g._group_actions) > 1 or True else inner)
                done.update(id(x) for x in g._group_actions)
                continue
            out.append(self._usage_one(a, a.required))
        return out

    def _usage_one(self, a, required):
        if not a.option_strings:
            return self._args(a, a.dest)
        s = a.format_usage()
        if a.nargs != 0:
            s += " " + self._args(a, a.dest.upper())
        return s if required else f"[{s}]"

    def usage(self, parser, prefix="usage: "):
        if parser.usage is not None:
            return prefix + parser.usage % {"prog": self._prog} + "\n"
        opts = [a for a in parser._actions if a.option_strings]
        poss = [a for a in parser._actions if not a.option_strings]
        o, p = self._usage_parts(opts, parser._exclusive), self._usage_parts(poss, parser._exclusive)
        text = " ".join([self._prog] + o + p)
        if len(prefix) + len(text) > self._width:
            pad = len(prefix) + len(self._prog) + 1
            room = self._width
            if pad <= 0.75 * room:
                lines = self._lines([self._prog] + o, pad, room, len(prefix)) if o else []
                if o and p:
                    lines += self._lines(p, pad, room)
                elif p:
                    lines = self._lines([self._prog] + p, pad, room, len(prefix))
            else:
                lines = [self._prog] + self._lines(o + p, len(prefix), room)
                pad = len(prefix)
            text = ("\n" + " " * pad).join(lines)
        return prefix + text + "\n"

    def _lines(self, parts, pad, room, first=None):
        lines, line, n = [], [], (first if first is not None else pad) - 1
        for x in parts:
            if n + 1 + len(x) > room and line:
                lines.append(" ".join(line))
                line, n = [], pad - 1
            line.append(x)
            n += len(x) + 1
        if line:
            lines.append(" ".join(line))
        return lines

    def _invocation(self, a):
        if not a.option_strings:
            m = self._metavar(a, a.dest)
            return " ".join(m) if isinstance(m, tuple) else m
        if a.nargs == 0:
            return ", ".join(a.option_strings)
        args = self._args(a, a.dest.upper())
        return ", ".join(f"{s} {args}" for s in a.option_strings)

    def _fill(self, text, width, indent):
        import textwrap
        return textwrap.fill(" ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent)

    def _split(self, text, width):
        import textwrap
        return textwrap.wrap(" ".join(text.split()), width)

    def _help_string(self, a):
        return a.help

    def _expand(self, a):
        d = {k: v for k, v in vars(a).items() if v is not SUPPRESS}
        d["prog"] = self._prog
        for k, v in list(d.items()):
            if hasattr(v, "__name__"):
                d[k] = v.__name__
        if d.get("choices") is not None:
            d["choices"] = ", ".join(str(c) for c in d["choices"])
        return self._help_string(a) % d

    def entries(self, actions):
        rows = []
        for a in actions:
            if a.help is SUPPRESS:
                continue
            rows.append((2, self._invocation(a), a))
            if isinstance(a, _SubParsersAction):
                rows += [(4, self._invocation(c), c) for c in a._choices_actions]
        return rows

    def text(self, parser):
        rows = [self.entries(g._group_actions) for g in parser._groups]
        longest = max([i + len(s) for g in rows for i, s, _ in g], default=0)
        at = min(longest + 2, self._max)
        out = self.usage(parser)
        if parser.description:
            out += "\n" + self._fill(parser.description % {"prog": self._prog} if "%" in parser.description else parser.description, self._width, "") + "\n"
        for g, rs in zip(parser._groups, rows):
            if not rs:
                continue
            if g.title is not SUPPRESS:
                out += f"\n{g.title}:\n"
            if g.description:
                out += self._fill(g.description, self._width - 2, "  ") + "\n\n"
            for indent, s, a in rs:
                out += self._row(indent, s, a, at)
        if parser.epilog:
            out += "\n" + self._fill(parser.epilog % {"prog": self._prog} if "%" in parser.epilog else parser.epilog, self._width, "") + "\n"
        return out

    def _row(self, indent, s, a, at):
        width = max(self._width - at, 11)
        if not a.help or not a.help.strip():
            return " " * indent + s + "\n"
        lines = self._split(self._expand(a), width)
        if len(s) <= at - indent - 2:
            out = " " * indent + s.ljust(at - indent - 2) + "  " + lines[0] + "\n"
            lines = lines[1:]
        else:
            out = " " * indent + s + "\n"
        return out + "".join([" " * at + l + "\n" for l in lines])


class RawDescriptionHelpFormatter(HelpFormatter):
    def _fill(self, text, width, indent):
        return "".join([indent + l for l in text.splitlines(True)])


class RawTextHelpFormatter(RawDescriptionHelpFormatter):
    def _split(self, text, width):
        return text.splitlines()


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    def _help_string(self, a):
        h = a.help or ""
        if "%(default)" not in h and a.default is not SUPPRESS and (a.option_strings or a.nargs in ("?", "*")):
            h += " (default: %(default)s)"
        return h


class MetavarTypeHelpFormatter(HelpFormatter):
    def _metavar(self, a, default):
        return a.metavar or a.type.__name__


class Action:
    def __init__(self, option_strings, dest, nargs=None, const=None, default=None, type=None, choices=None, required=False, help=None, metavar=None):
        self.option_strings, self.dest, self.nargs, self.const, self.default = option_strings, dest, nargs, const, default
        self.type, self.choices, self.required, self.help, self.metavar = type, choices, required, help, metavar

    def _shown(self):
        if self.option_strings:
            return "/".join(self.option_strings)
        if self.metavar not in (None, SUPPRESS):
            return self.metavar if isinstance(self.metavar, str) else "/".join(self.metavar)
        if self.dest not in (None, SUPPRESS):
            return self.dest
        return "{" + ",".join(self.choices) + "}" if self.choices else None

    def format_usage(self):
        return self.option_strings[0]

    def __call__(self, parser, namespace, values, option_string=None):
        raise NotImplementedError(".__call__() not defined")

    def __repr__(self):
        names = ["option_strings", "dest", "nargs", "const", "default", "type", "choices", "required", "help", "metavar"]
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


class _StoreAction(Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, values)


class _StoreConstAction(Action):
    def __init__(self, option_strings, dest, const=None, default=None, required=False, help=None, metavar=None):
        super().__init__(option_strings, dest, 0, const, default, None, None, required, help)

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, self.const)


class _StoreTrueAction(_StoreConstAction):
    def __init__(self, option_strings, dest, default=False, required=False, help=None):
        super().__init__(option_strings, dest, True, default, required, help)


class _StoreFalseAction(_StoreConstAction):
    def __init__(self, option_strings, dest, default=True, required=False, help=None):
        super().__init__(option_strings, dest, False, default, required, help)


class BooleanOptionalAction(Action):
    def __init__(self, option_strings, dest, default=None, type=None, choices=None, required=False, help=None, metavar=None):
        names = []
        for s in option_strings:
            names.append(s)
            if s.startswith("--"):
                names.append("--no-" + s[2:])
        if help is not None and default is not None and default is not SUPPRESS:
            help += " (default: %(default)s)"
        super().__init__(names, dest, 0, None, default, type, choices, required, help, metavar)

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, not option_string.startswith("--no-"))

    def format_usage(self):
        return " | ".join(self.option_strings)


def _items(namespace, dest):
    have = getattr(namespace, dest, None)
    return [] if have is None else list(have)


class _AppendAction(Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, _items(namespace, self.dest) + [values])


class _AppendConstAction(Action):
    def __init__(self, option_strings, dest, const=None, default=None, required=False, help=None, metavar=None):
        super().__init__(option_strings, dest, 0, const, default, None, None, required, help, metavar)

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, _items(namespace, self.dest) + [self.const])


class _ExtendAction(Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, _items(namespace, self.dest) + list(values))


class _CountAction(Action):
    def __init__(self, option_strings, dest, default=None, required=False, help=None):
        super().__init__(option_strings, dest, 0, None, default, None, None, required, help)

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, (getattr(namespace, self.dest, None) or 0) + 1)


class _HelpAction(Action):
    def __init__(self, option_strings, dest=SUPPRESS, default=SUPPRESS, help=None):
        super().__init__(option_strings, dest, 0, None, default, None, None, False, help)

    def __call__(self, parser, namespace, values, option_string=None):
        parser.print_help()
        parser.exit()


class _VersionAction(Action):
    def __init__(self, option_strings, dest=SUPPRESS, version=None, default=SUPPRESS, help="show program's version number and exit"):
        super().__init__(option_strings, dest, 0, None, default, None, None, False, help)
        self.version = version

    def __call__(self, parser, namespace, values, option_string=None):
        _sys.stdout.write((self.version or "") % {"prog": parser.prog} + "\n")
        parser.exit()


class _SubParsersAction(Action):
    def __init__(self, option_strings, prog, parser_class, dest=SUPPRESS, required=False, help=None, metavar=None):
        super().__init__(option_strings, dest, "A...", None, None, None, {}, required, help, metavar)
        self._prog, self._parser_class, self._choices_actions = prog, parser_class, []

    def add_parser(self, name, *, help=None, aliases=(), **kwargs):
        kwargs.setdefault("prog", f"{self._prog} {name}")
        p = self._parser_class(**kwargs)
        for n in (name, *aliases):
            self.choices[n] = p
        if help is not None:
            shown = name + (f" ({', '.join(aliases)})" if aliases else "")
            self._choices_actions.append(Action([], shown, help=help, metavar=shown))
        return p

    def __call__(self, parser, namespace, values, option_string=None):
        name, rest = values[0], values[1:]
        if self.dest is not SUPPRESS:
            setattr(namespace, self.dest, name)
        if name not in self.choices:
            raise ArgumentError(self, f"unknown parser {name!r} (choices: {', '.join(self.choices)})")
        sub, extra = self.choices[name].parse_known_args(rest, None)
        for k, v in vars(sub).items():
            setattr(namespace, k, v)
        if extra:
            setattr(namespace, "_unrecognized_args", getattr(namespace, "_unrecognized_args", []) + extra)


_ACTIONS = {None: _StoreAction, "store": _StoreAction, "store_const": _StoreConstAction, "store_true": _StoreTrueAction,
            "store_false": _StoreFalseAction, "append": _AppendAction, "append_const": _AppendConstAction, "count": _CountAction,
            "help": _HelpAction, "version": _VersionAction, "extend": _ExtendAction, "parsers": _SubParsersAction}


class FileType:
    def __init__(self, mode="r", bufsize=-1, encoding=None, errors=None):
        self._mode, self._encoding = mode, encoding

    def __call__(self, string):
        if string == "-":
            return _sys.stdin if "r" in self._mode else _sys.stdout
        try:
            return open(string, self._mode, -1, self._encoding)
        except OSError as e:
            raise ArgumentTypeError(f"can't open '{string}': {e}")


class _Group:
    # what arguments are added to: a titled part of the help
    def __init__(self, parser, title=None, description=None):
        self._parser, self.title, self.description, self._group_actions = parser, title, description, []

    def add_argument(self, *args, **kwargs):
        a = self._parser._make(args, kwargs)
        self._parser._add(a, self)
        return a

    def add_mutually_exclusive_group(self, *, required=False):
        g = _Exclusive(self._parser, self, required)
        self._parser._exclusive.append(g)
        return g

    def add_argument_group(self, *args, **kwargs):
        return self._parser.add_argument_group(*args, **kwargs)

    def set_defaults(self, **kwargs):
        self._parser.set_defaults(**kwargs)


class _Exclusive:
    def __init__(self, parser, group, required):
        self._parser, self._group, self.required, self._group_actions = parser, group, required, []

    def add_argument(self, *args, **kwargs):
        a = self._parser._make(args, kwargs)
        if a.required:
            raise ValueError("mutually exclusive arguments must be optional")
        self._parser._add(a, self._group)
        self._group_actions.append(a)
        return a


class _Walk:
    # One walk over the words of a command line: what is filled, by which of them, and what is left.
    def __init__(self, parser, args, ns):
        self.parser, self.args, self.ns = parser, args, ns
        self.kinds, plain = [], False       # None: a word; "--"; or (action, name, value) of an option
        for s in args:
            self.kinds.append(None if plain else "--" if s == "--" else parser._option(s))
            plain = plain or s == "--"
        self.places = [a for a in parser._actions if not a.option_strings]      # not filled yet
        self.extra, self.seen, self.given = [], set(), {}

    def take(self, a, words, name=None):
        for g in self.parser._exclusive:
            if a in g._group_actions:
                for b in g._group_actions:
                    if b is not a and id(b) in self.given and (name is not None or words):
                        raise ArgumentError(a, f"not allowed with argument {b._shown()}")
        v = self.parser._values(a, words)
        if name is not None or words or a.nargs == 0:
            self.given[id(a)] = a
        self.seen.add(id(a))
        if v is not SUPPRESS:
            a(self.parser, self.ns, v, name)

    def rest(self, a, i, used):
        # all that is left from word i on, of which so many are used, options too
        n = 0
        while n < used:
            n += self.kinds[i] != "--"
            i += 1
        while i < len(self.args) and self.kinds[i] == "--" and a.nargs == "...":
            i += 1
        return self.args[i:]

    def counts(self, i, room, last):
        # how many of the room words each place gets, those that do; of the last one it may be a list: all that is left
        out = []
        for k, a in enumerate(self.places):
            if a.nargs in ("A...", "..."):
                if a.nargs == "..." or room:
                    out.append(self.rest(a, i, sum(out)))
                break
            later = 0
            for b in self.places[k + 1:]:
                later += 1 if b.nargs in (None, "+", "A...") else b.nargs if isinstance(b.nargs, int) else 0
            n = self.parser._wanted(a, max(room - later, 0) if a.nargs in ("?", "*", "+") else room)
            if n is None and a.nargs == "+" and room:
                n = 1
            if n is None or n == 0 and a.nargs in ("?", "*") and not last:
                break
            out.append(n)
            room -= n
        return out

    def positionals(self, i, last):
        # words from i on, up to the next option; as many arguments as they fill
        j = i
        while j < len(self.args) and (self.kinds[j] is None or self.kinds[j] == "--"):
            j += 1
        words = [w for w, k in zip(self.args[i:j], self.kinds[i:j]) if k != "--"]
        at = 0
        for n in self.counts(i, len(words), last or j == len(self.args)):
            a = self.places.pop(0)
            if isinstance(n, list):
                self.take(a, n)
                return len(self.args)
            self.take(a, words[at:at + n])
            at += n
        self.extra.extend(words[at:])
        return j

    def flags(self, a, name, value, word):
        # -abc is -a -b -c; the last of them, with its value
        while a.nargs == 0 and value is not None and len(name) == 2 and not word.startswith("--"):
            self.take(a, [], name)
            name = name[0] + value[0]
            value = value[1:] or None
            if name not in self.parser._options:
                raise ArgumentError(a, f"ignored explicit argument {(name[1:] + (value or ''))!r}")
            a = self.parser._options[name]
            if a.nargs != 0 and value is not None and value.startswith("="):
                value = value[1:]
        return a, name, value

    def option(self, i):
        # the option at word i and its words; where the next ones begin
        a, name, value = self.kinds[i]
        i += 1
        if a is None:
            self.extra.append(name if value is None else self.args[i - 1])
            return i
        a, name, value = self.flags(a, name, value, self.args[i - 1])
        if value is not None:
            if a.nargs == 0:
                raise ArgumentError(a, f"ignored explicit argument {value!r}")
            if isinstance(a.nargs, int) and a.nargs > 1:
                raise ArgumentError(a, f"expected {a.nargs} arguments")
            self.take(a, [value], name)
            return i
        j = i
        while j < len(self.args) and self.kinds[j] is None:
            j += 1
        n = 0 if a.nargs == 0 else len(self.args) - i if a.nargs == "..." else self.parser._wanted(a, j - i)
        if n is None:
            raise ArgumentError(a, "expected one argument" if a.nargs is None else "expected at least one argument" if a.nargs == "+"
                                else f"expected {a.nargs} argument{'s' if a.nargs != 1 else ''}")
        self.take(a, self.args[i:i + n], name)
        return i + n

    def complete(self):
        parser, ns = self.parser, self.ns
        missing = [a._shown() for a in parser._actions if a.required and id(a) not in self.seen]
        if missing:
            raise ArgumentError(None, "the following arguments are required: " + ", ".join(missing))
        for a in parser._actions:
            if id(a) not in self.seen and isinstance(a.default, str) and a.dest is not SUPPRESS and getattr(ns, a.dest, None) is a.default:
                setattr(ns, a.dest, parser._value(a, a.default))
        for g in parser._exclusive:
            if g.required and not any(id(a) in self.given for a in g._group_actions):
                raise ArgumentError(None, f"one of the arguments {' '.join(a._shown() for a in g._group_actions if a.help is not SUPPRESS)} is required")


class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, epilog=None, parents=[], formatter_class=HelpFormatter, prefix_chars="-",
                 fromfile_prefix_chars=None, argument_default=None, conflict_handler="error", add_help=True, allow_abbrev=True, exit_on_error=True):
        self.prog = _os.path.basename(_sys.argv[0]) if prog is None else prog
        self.usage, self.description, self.epilog, self.formatter_class = usage, description, epilog, formatter_class
        self.prefix_chars, self.fromfile_prefix_chars, self.argument_default = prefix_chars, fromfile_prefix_chars, argument_default
        self.conflict_handler, self.add_help, self.allow_abbrev, self.exit_on_error = conflict_handler, add_help, allow_abbrev, exit_on_error
        self._actions, self._options, self._defaults, self._exclusive, self._subparsers = [], {}, {}, [], None
        self._positionals = _Group(self, "positional arguments")
        self._optionals = _Group(self, "options")
        self._groups = [self._positionals, self._optionals]
        if add_help:
            c = "-" if "-" in prefix_chars else prefix_chars[0]
            self.add_argument(c + "h", c * 2 + "help", action="help", default=SUPPRESS, help="show this help message and exit")
        for p in parents:
            titles = {g.title: g for g in self._groups}
            for g in p._groups:
                mine = titles.get(g.title)
                if mine is None:
                    mine = self.add_argument_group(g.title, g.description)
                for a in g._group_actions:
                    self._add(a, mine)
            self._defaults.update(p._defaults)
            self._exclusive += p._exclusive

    def __repr__(self):
        names = ["prog", "usage", "description", "formatter_class", "conflict_handler", "add_help"]
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"

    # ---- making arguments

    def _make(self, args, kwargs):
        kwargs = dict(kwargs)
        if not args or len(args) == 1 and args[0][0] not in self.prefix_chars:
            if args and "dest" in kwargs:
                raise ValueError("dest supplied twice for positional argument")
            dest = args[0] if args else kwargs.pop("dest")
            if "required" in kwargs:
                raise TypeError("'required' is an invalid argument for positionals")
            kwargs.pop("dest", None)
            names = []
            required = kwargs.get("nargs") not in ("?", "*") or (kwargs.get("nargs") == "*" and "default" not in kwargs)
        else:
            names, required = list(args), kwargs.pop("required", False)
            dest = kwargs.pop("dest", None)
            for n in names:
                if n[0] not in self.prefix_chars:
                    raise ValueError(f"invalid option string {n!r}: must start with a character {self.prefix_chars!r}")
            if dest is None:
                long = next((n for n in names if len(n) > 1 and n[1] in self.prefix_chars), names[0])
                dest = long.lstrip(self.prefix_chars).replace("-", "_")
        if "default" not in kwargs:
            if dest in self._defaults:
                kwargs["default"] = self._defaults[dest]
            elif self.argument_default is not None:
                kwargs["default"] = self.argument_default
        action = kwargs.pop("action", None)
        cls = _ACTIONS.get(action) if action is None or isinstance(action, str) else action
        if cls is None:
            raise ValueError(f'unknown action "{action}"')
        if kwargs.get("type") is not None and not callable(kwargs["type"]):
            raise ValueError(f"{kwargs['type']!r} is not callable")
        if kwargs.get("nargs") == 0 and cls in (_StoreAction, _AppendAction):
            raise ValueError("nargs for store actions must be != 0; if you have nothing to store, actions such as store true or store const may be more appropriate")
        if names and required:
            kwargs["required"] = required
        a = cls(names, dest, **kwargs)
        if not names:
            a.required = required
        return a

    def _add(self, a, group):
        for n in a.option_strings:
            if n in self._options:
                if self.conflict_handler != "resolve":
                    raise ArgumentError(a, f"conflicting option string: {n}")
                old = self._options[n]
                old.option_strings = [x for x in old.option_strings if x != n]
                if not old.option_strings:
                    self._actions.remove(old)
                    for g in self._groups:
                        if old in g._group_actions:
                            g._group_actions.remove(old)
        self._actions.append(a)
        for n in a.option_strings:
            self._options[n] = a
        group._group_actions.append(a)

    def add_argument(self, *args, **kwargs):
        a = self._make(args, kwargs)
        self._add(a, self._optionals if a.option_strings else self._positionals)
        return a

    def add_argument_group(self, title=None, description=None):
        g = _Group(self, title, description)
        self._groups.append(g)
        return g

    def add_mutually_exclusive_group(self, *, required=False):
        g = _Exclusive(self, None, required)
        parser = self

        class _Both:
            @_property
            def _group_actions(self):
                return self

            def append(self, a):
                (parser._optionals if a.option_strings else parser._positionals)._group_actions.append(a)

        g._group = _Both()
        self._exclusive.append(g)
        return g

    def add_subparsers(self, *, title=None, description=None, prog=None, parser_class=None, **kwargs):
        if self._subparsers is not None:
            self.error("cannot have multiple subparser arguments")
        group = self._positionals if title is None and description is None else self.add_argument_group(title or "subcommands", description)
        if prog is None:
            poss = [a for a in self._actions if not a.option_strings]
            prog = " ".join([self.prog] + self.formatter_class(self.prog)._usage_parts(poss, []))
        kwargs.pop("action", None)
        a = _SubParsersAction([], prog, parser_class or type(self), **kwargs)
        self._subparsers = a
        self._add(a, group)
        return a

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)
        for a in self._actions:
            if a.dest in kwargs:
                a.default = kwargs[a.dest]

    def get_default(self, dest):
        for a in self._actions:
            if a.dest == dest and a.default is not None:
                return a.default
        return self._defaults.get(dest)

    # ---- reading

    def parse_args(self, args=None, namespace=None):
        ns, extra = self.parse_known_args(args, namespace)
        if extra:
            self.error("unrecognized arguments: " + " ".join(extra))
        return ns

    def parse_known_args(self, args=None, namespace=None):
        args = list(_sys.argv[1:] if args is None else args)
        ns = Namespace() if namespace is None else namespace
        for a in self._actions:
            if a.dest is not SUPPRESS and not hasattr(ns, a.dest) and a.default is not SUPPRESS:
                setattr(ns, a.dest, a.default)
        for k, v in self._defaults.items():
            if not hasattr(ns, k):
                setattr(ns, k, v)
        if self.exit_on_error:
            try:
                extra = self._parse(args, ns)
            except ArgumentError as e:
                self.error(str(e))
        else:
            extra = self._parse(args, ns)
        if "_unrecognized_args" in vars(ns):
            extra += ns._unrecognized_args
            del ns._unrecognized_args
        return ns, extra

    parse_intermixed_args, parse_known_intermixed_args = parse_args, parse_known_args

    def convert_arg_line_to_args(self, line):
        return [line]

    def _from_files(self, args):
        out = []
        for s in args:
            if self.fromfile_prefix_chars and s and s[0] in self.fromfile_prefix_chars:
                with open(s[1:]) as f:
                    out += self._from_files([x for l in f.read().splitlines() for x in self.convert_arg_line_to_args(l)])
            else:
                out.append(s)
        return out

    def _is_negative(self, s):
        try:
            float(s)
        except ValueError:
            return False
        return s[1:2].isdigit() or s[1:2] == "."

    def _option(self, s):
        # (action, name, value) of a word that is an option; None: a positional argument
        if not s or s[0] not in self.prefix_chars:
            return None
        if s in self._options:
            return self._options[s], s, None
        if len(s) == 1:
            return None
        if "=" in s:
            name, value = s.split("=", 1)
            if name in self._options:
                return self._options[name], name, value
        found = self._abbreviations(s)
        if len(found) > 1:
            raise ArgumentError(None, f"ambiguous option: {s} could match {', '.join(n for _, n, _ in found)}")
        if found:
            return found[0]
        if self._is_negative(s) and not any(self._is_negative(n) for n in self._options):
            return None
        return None if " " in s else (None, s, None)

    def _abbreviations(self, s):
        name, eq, value = s.partition("=")
        value = value if eq else None
        if s[1] in self.prefix_chars:
            return [(a, n, value) for n, a in self._options.items() if n.startswith(name)] if self.allow_abbrev else []
        out = [(a, n, s[2:]) for n, a in self._options.items() if n == s[:2]]
        return out or [(a, n, value) for n, a in self._options.items() if self.allow_abbrev and n.startswith(name)]

    def _wanted(self, a, room):
        # how many of `room` words the action takes; None: too few
        n = a.nargs
        if n is None:
            return 1 if room >= 1 else None
        if n == "?":
            return min(room, 1)
        if n in ("*", "..."):
            return room
        if n in ("+", "A..."):
            return room if room >= 1 else None
        return n if room >= n else None

    def _parse(self, args, ns):
        walk, i = _Walk(self, self._from_files(args), ns), 0
        while i < len(walk.args):
            i = walk.positionals(i, False) if walk.kinds[i] is None or walk.kinds[i] == "--" else walk.option(i)
        if walk.places:
            walk.positionals(len(walk.args), True)
        walk.complete()
        return walk.extra

    def _value(self, a, s):
        if a.type is None:
            return s
        try:
            return a.type(s)
        except ArgumentTypeError as e:
            raise ArgumentError(a, str(e))
        except (TypeError, ValueError):
            raise ArgumentError(a, f"invalid {getattr(a.type, '__name__', repr(a.type))} value: {s!r}")

    def _check(self, a, v):
        if a.choices is not None and v not in a.choices:
            raise ArgumentError(a, f"invalid choice: {v!r} (choose from {', '.join(repr(c) for c in a.choices)})")

    def _values(self, a, words):
        if a.nargs == "A...":
            self._check(a, words[0])
            return words
        if a.nargs == "...":
            return [self._value(a, w) for w in words]
        if a.nargs == "?" and not words:
            v = a.const if a.option_strings else a.default
            if isinstance(v, str):
                v = self._value(a, v)
                self._check(a, v)
            return v
        if a.nargs == "*" and not words and not a.option_strings:
            return a.default if a.default is not None else []
        if a.nargs in (None, "?"):
            v = self._value(a, words[0]) if words else None
            if words:
                self._check(a, v)
            return v
        out = [self._value(a, w) for w in words]
        for v in out:
            self._check(a, v)
        return out

    # ---- text

    def format_usage(self):
        return self.formatter_class(prog=self.prog).usage(self)

    def format_help(self):
        return self.formatter_class(prog=self.prog).text(self)

    def print_usage(self, file=None):
        (file or _sys.stdout).write(self.format_usage())

    def print_help(self, file=None):
        (file or _sys.stdout).write(self.format_help())

    def exit(self, status=0, message=None):
        if message:
            _sys.stderr.write(message)
        _sys.exit(status)

    def error(self, message):
        self.print_usage(_sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n")


_property = property
