# urllib.error
class URLError(OSError):
    def __init__(self, reason, filename=None):
        OSError.__init__(self, reason)
        self.reason, self.filename = reason, filename

    def __str__(self):
        return f"<urlopen error {self.reason}>"


class HTTPError(URLError):
    pass


class ContentTooShortError(URLError):
    pass
