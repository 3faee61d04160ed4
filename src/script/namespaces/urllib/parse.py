# urllib.parse -- addresses in parts, and characters by number (RFC 3986).
from collections import namedtuple as _namedtuple

_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
_ParseFields = _namedtuple("ParseResult", "scheme netloc path params query fragment")
_SplitFields = _namedtuple("SplitResult", "scheme netloc path query fragment")


class _Host:
    def _server(self):
        return self.netloc.rpartition("@")[2]

    @property
    def username(self):
        user, at, _ = self.netloc.rpartition("@")
        return user.partition(":")[0] if at else None

    @property
    def password(self):
        user, at, _ = self.netloc.rpartition("@")
        return user.partition(":")[2] or None if at else None

    @property
    def hostname(self):
        return self._server().partition(":")[0].lower() or None

    @property
    def port(self):
        p = self._server().partition(":")[2]
        return int(p) if p else None

    def geturl(self):
        return urlunsplit(self) if len(self) == 5 else urlunparse(self)


class ParseResult(_Host, _ParseFields):
    pass


class SplitResult(_Host, _SplitFields):
    pass


def urlsplit(url, scheme="", allow_fragments=True):
    netloc = query = fragment = ""
    i = url.find(":")
    if i > 0 and url[0].isalpha() and all([c.isalnum() or c in "+-." for c in url[:i]]):
        scheme, url = url[:i].lower(), url[i + 1:]
    if url[:2] == "//":
        end = min([k for k in [url.find(c, 2) for c in "/?#"] if k >= 0] + [len(url)])
        netloc, url = url[2:end], url[end:]
    if allow_fragments and "#" in url:
        url, _, fragment = url.partition("#")
    if "?" in url:
        url, _, query = url.partition("?")
    return SplitResult(scheme, netloc, url, query, fragment)


def urlparse(url, scheme="", allow_fragments=True):
    s, netloc, path, query, fragment = urlsplit(url, scheme, allow_fragments)
    params = ""
    if ";" in path.rpartition("/")[2]:
        at = path.find(";", path.rfind("/") + 1)
        path, params = path[:at], path[at + 1:]
    return ParseResult(s, netloc, path, params, query, fragment)


def urlunsplit(parts):
    scheme, netloc, path, query, fragment = parts
    url = path
    if netloc or (scheme in ("file", "http", "https", "ftp") and path[:2] == "//") or (scheme == "file" and path[:1] == "/"):
        url = "//" + netloc + (path if path[:1] == "/" or not path else "/" + path)
    if scheme:
        url = scheme + ":" + url
    return url + ("?" + query if query else "") + ("#" + fragment if fragment else "")


def urlunparse(parts):
    scheme, netloc, path, params, query, fragment = parts
    return urlunsplit((scheme, netloc, path + (";" + params if params else ""), query, fragment))


def urljoin(base, url, allow_fragments=True):
    if not base or not url:
        return url or base
    b, u = urlsplit(base, "", allow_fragments), urlsplit(url, urlsplit(base).scheme, allow_fragments)
    if u.scheme != b.scheme:
        return url
    if u.netloc:
        return urlunsplit(u)
    if not u.path:
        return urlunsplit((b.scheme, b.netloc, b.path, u.query or b.query, u.fragment))
    path = u.path if u.path[:1] == "/" else b.path.rpartition("/")[0] + "/" + u.path
    out = []
    for part in path.split("/"):
        if part == ".." and len(out) > 1:
            out.pop()
        elif part not in (".", ".."):
            out.append(part)
    if path.split("/")[-1] in (".", ".."):
        out.append("")
    return urlunsplit((b.scheme, b.netloc, "/".join(out), u.query, u.fragment))


def urldefrag(url):
    u, _, fragment = url.partition("#")
    return u, fragment


def quote(string, safe="/", encoding="utf-8", errors="strict"):
    data = string if isinstance(string, bytes) else string.encode(encoding, errors)
    return "".join([chr(c) if chr(c) in _SAFE or (c < 128 and chr(c) in safe) else f"%{c:02X}" for c in data])


def quote_plus(string, safe="", encoding="utf-8", errors="strict"):
    return quote(string, safe + " ", encoding, errors).replace(" ", "+")


def unquote_to_bytes(string):
    data = string.encode("utf-8") if isinstance(string, str) else string
    parts = data.split(b"%")
    out = parts[0]
    for p in parts[1:]:
        try:
            out += bytes([int(p[:2], 16)]) + p[2:] if len(p) >= 2 else b"%" + p
        except ValueError:
            out += b"%" + p
    return out


def unquote(string, encoding="utf-8", errors="replace"):
    return unquote_to_bytes(string).decode(encoding, errors) if "%" in string else string


def unquote_plus(string, encoding="utf-8", errors="replace"):
    return unquote(string.replace("+", " "), encoding, errors)


def parse_qsl(qs, keep_blank_values=False, separator="&"):
    out = []
    for part in qs.split(separator):
        name, eq, value = part.partition("=")
        if part and (value or (keep_blank_values and (eq or name))):
            out.append((unquote_plus(name), unquote_plus(value)))
    return out


def parse_qs(qs, keep_blank_values=False, separator="&"):
    out = {}
    for name, value in parse_qsl(qs, keep_blank_values, separator):
        out.setdefault(name, []).append(value)
    return out


def urlencode(query, doseq=False, safe="", encoding="utf-8", errors="strict"):
    pairs = []
    for k, v in query.items() if hasattr(query, "items") else query:
        for one in v if doseq and isinstance(v, (list, tuple)) else [v]:
            pairs.append(quote_plus(str(k), safe, encoding, errors) + "=" + quote_plus(
                one if isinstance(one, bytes) else str(one), safe, encoding, errors))
    return "&".join(pairs)
