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
    def format(self, format_string, /, *args, **kwargs):
        return format_string.format(*args, **kwargs)

    def vformat(self, format_string, args, kwargs):
        return format_string.format(*args, **kwargs)
