# urllib.request -- file: URLs. For all others there is no network, which is an error of the network's kind.
import io as _io
import tempfile as _tempfile

from urllib.error import URLError
from urllib.parse import quote, unquote, urlsplit


def pathname2url(pathname):
    return quote(pathname)


def url2pathname(pathname):
    return unquote(pathname)


class Request:
    def __init__(self, url, data=None, headers=None, method=None):
        self.full_url, self.data, self.headers, self._method = url, data, dict(headers or {}), method

    def add_header(self, key, val):
        self.headers[key.capitalize()] = val

    def get_full_url(self):
        return self.full_url

    def get_method(self):
        return self._method or ("GET" if self.data is None else "POST")


def urlopen(url, data=None, timeout=None):
    address = url.full_url if isinstance(url, Request) else url
    parts = urlsplit(address)
    if parts.scheme == "":
        raise ValueError(f"unknown url type: {address!r}")
    if parts.scheme != "file" or data is not None:
        raise URLError(f"there is no network here: {address}" + ("" if timeout is None else f" (after {timeout} s)"))
    try:
        with open(url2pathname(parts.path), "rb") as f:
            return _io.BytesIO(f.read())
    except OSError as e:
        raise URLError(e) from None


def urlretrieve(url, filename=None, reporthook=None, data=None):
    with urlopen(url, data) as f:
        content = f.read()
    if filename is None:
        filename = _tempfile.mkstemp()[1]
    with open(filename, "wb") as f:
        f.write(content)
    if reporthook is not None:
        reporthook(0, 8192, len(content))
        reporthook(1, max(len(content), 1), len(content))
    return filename, {}


def build_opener(*handlers):
    class _Opener:
        addheaders = []
        given = handlers

        def open(self, url, data=None):
            return urlopen(url, data)
    return _Opener()


def install_opener(opener):
    if not hasattr(opener, "open"):
        raise TypeError("an opener has a method open")


class ProxyHandler:
    def __init__(self, proxies=None):
        self.proxies = proxies or {}


class HTTPHandler:
    pass


