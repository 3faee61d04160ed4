# string -- constants of characters, capwords, Template, Formatter.
import re as _re

ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdefABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\v\f"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join(w.capitalize() for w in s.split(sep))


class Template:
    delimiter = "$"
    idpattern = "(?a:[_a-zA-Z][_a-zA-Z0-9]*)"

    def __init__(self, template):
        self.template = template

    def _fill(self, mapping, kwargs, strict):
        values = dict(mapping)
        values.update(kwargs)
        d = _re.escape(self.delimiter)
        pattern = _re.compile(f"{d}(?:(?P<escaped>{d})|(?P<named>{self.idpattern})|{{(?P<braced>{self.idpattern})}}|(?P<invalid>))")

        def one(m):
            if m.group("escaped") is not None:
                return self.delimiter
            name = m.group("named") or m.group("braced")
            if name is not None:
                if name in values:
                    return str(values[name])
                if strict:
                    raise KeyError(name)
                return m.group()
            if strict:
                line = self.template.count("\n", 0, m.start()) + 1
                col = m.start() - self.template.rfind("\n", 0, m.start())
                raise ValueError(f"Invalid placeholder in string: line {line}, col {col}")
            return m.group()

        return pattern.sub(one, self.template)

    def substitute(self, mapping={}, /, **kwargs):
        return self._fill(mapping, kwargs, True)

    def safe_substitute(self, mapping={}, /, **kwargs):
        return self._fill(mapping, kwargs, False)


class Formatter:
    # str.format, of which subclasses may change every step.
    def format(self, format_string, /, *args, **kwargs):
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string, args, kwargs):
        used = set()
        result, _ = self._vformat(format_string, args, kwargs, used, 2)
        self.check_unused_args(used, args, kwargs)
        return result

    def _vformat(self, format_string, args, kwargs, used_args, recursion_depth, auto_arg_index=0):
        if recursion_depth < 0:
            raise ValueError("Max string recursion exceeded")
        result = []
        for literal, field, spec, conversion in self.parse(format_string):
            if literal:
                result.append(literal)
            if field is None:
                continue
            first = field.split(".")[0].split("[")[0]
            if first == "":
                if auto_arg_index is False:
                    raise ValueError("cannot switch from manual field specification to automatic field numbering")
                field, auto_arg_index = str(auto_arg_index) + field, auto_arg_index + 1
            elif first.isdigit():
                if auto_arg_index:
                    raise ValueError("cannot switch from manual field specification to automatic field numbering")
                auto_arg_index = False
            obj, used = self.get_field(field, args, kwargs)
            used_args.add(used)
            spec, auto_arg_index = self._vformat(spec, args, kwargs, used_args, recursion_depth - 1, auto_arg_index)
            result.append(self.format_field(self.convert_field(obj, conversion), spec))
        return "".join(result), auto_arg_index

    def get_value(self, key, args, kwargs):
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args, args, kwargs):
        pass

    def format_field(self, value, format_spec):
        return format(value, format_spec)

    def convert_field(self, value, conversion):
        if conversion is None:
            return value
        if conversion not in ("s", "r", "a"):
            raise ValueError(f"Unknown conversion specifier {conversion}")
        return {"s": str, "r": repr, "a": ascii}[conversion](value)

    def get_field(self, field_name, args, kwargs):
        first, rest = _field(field_name)
        obj = self.get_value(first, args, kwargs)
        for is_attr, key in rest:
            obj = getattr(obj, key) if is_attr else obj[key]
        return obj, first

    def parse(self, format_string):
        # (literal, field, format, conversion) of each part; the last three are None where no field follows.
        at, n, words = 0, len(format_string), ""
        while at < n:
            c = format_string[at]
            if c not in "{}":
                words, at = words + c, at + 1
            elif at + 1 < n and format_string[at + 1] == c:
                yield words + c, None, None, None
                words, at = "", at + 2
            elif c == "}":
                raise ValueError("Single '}' encountered in format string")
            else:
                inside, at = _braces(format_string, at + 1)
                yield words, *_parts(inside)
                words = ""
        if words:
            yield words, None, None, None


def _braces(text, at):
    # What stands until the brace that closes, and where it goes on.
    depth, start = 1, at
    if at == len(text):
        raise ValueError("Single '{' encountered in format string")
    while at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return text[start:at - 1], at
    raise ValueError("expected '}' before end of string")


def _parts(inside):
    at = 0
    while at < len(inside) and inside[at] not in ":!":
        at = inside.index("]", at) if inside[at] == "[" and "]" in inside[at:] else at + 1
    field, rest, conversion = inside[:at], inside[at:], None
    if rest.startswith("!"):
        conversion, rest = rest[1:2], rest[2:]
        if not conversion:
            raise ValueError("unmatched '{' in format spec")
        if rest and not rest.startswith(":"):
            raise ValueError("expected ':' after conversion specifier")
    return field, rest[1:], conversion


def _field(name):
    # The first name, and (is it an attribute, key) of each step after it.
    def number(s):
        return int(s) if s.isdigit() else s
    end = min([i for i in (name.find("."), name.find("[")) if i >= 0] or [len(name)])
    first, rest, steps = number(name[:end]), name[end:], []
    while rest:
        if rest[0] == ".":
            end = min([i for i in (rest.find(".", 1), rest.find("[", 1)) if i >= 0] or [len(rest)])
            steps.append((True, rest[1:end]))
        else:
            end = rest.find("]") + 1
            if not end:
                raise ValueError("Missing ']' in format string")
            if rest[end:end + 1] not in ("", ".", "["):
                raise ValueError("Only '.' or '[' may follow ']' in format field specifier")
            steps.append((False, number(rest[1:end - 1])))
        if not steps[-1][1] and steps[-1][1] != 0:
            raise ValueError("Empty attribute in format string")
        rest = rest[end:]
    return first, steps
