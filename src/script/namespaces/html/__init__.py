# html -- texts in HTML: & < > and quotes as entities, and back.


def escape(s, quote=True):
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return s.replace('"', "&quot;").replace("'", "&#x27;") if quote else s


def _character(name, whole):
    from html.entities import name2codepoint
    if name.startswith("#"):
        digits = name[2:] if name[1:2] in ("x", "X") else name[1:]
        n = int(digits, 16 if name[1:2] in ("x", "X") else 10)
        return "\ufffd" if n == 0 or 0xD800 <= n <= 0xDFFF or n > 0x10FFFF else chr(n)
    if name == "apos" or name in name2codepoint:
        return chr(name2codepoint.get(name, 39))
    if whole.endswith(";"):
        raise NotImplementedError(f"html.unescape: the name {whole} is not one of HTML 4")
    return whole


def unescape(s):
    import re
    if "&" not in s:
        return s
    return re.sub(r"&(#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?", lambda m: _character(m.group(1), m.group()), s)
