# IPython.core.display -- things that a notebook shows: a file that runs keeps their data and prints their kind.
import json as _json
import os as _os


class DisplayObject:
    _mode = "r"

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if isinstance(data, _os.PathLike):
            data = str(data)
        if data is not None and isinstance(data, str) and url is None and filename is None:
            if data.startswith("http"):
                data, url = None, data
            elif len(data) < 200 and self._is_file(data):
                data, filename = None, data
        self.url, self.filename, self.metadata = url, filename, metadata or {}
        self.data = data
        self.reload()

    def _is_file(self, text):
        return _os.path.isfile(text)

    def reload(self):
        if self.filename is not None:
            with open(self.filename, self._mode) as f:
                self.data = f.read()
        elif self.url is not None:
            raise OSError(f"there is no network here: {self.url}")

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} object>"

    def _data_and_metadata(self):
        return (self.data, self.metadata) if self.metadata else self.data


class TextDisplayObject(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if data is not None and not isinstance(data, (str, _os.PathLike)):
            raise TypeError(f"{type(self).__name__} expects text, not {data!r}")
        super().__init__(data, url, filename, metadata)


class Pretty(TextDisplayObject):
    def _repr_pretty_(self, pp, cycle):
        return pp.text(self.data)


class HTML(TextDisplayObject):
    def _repr_html_(self):
        return self._data_and_metadata()

    def __html__(self):
        return self._repr_html_()


class Markdown(TextDisplayObject):
    def _repr_markdown_(self):
        return self._data_and_metadata()


class Math(TextDisplayObject):
    def _repr_latex_(self):
        text = "$\\displaystyle %s$" % self.data.strip("$")
        return (text, self.metadata) if self.metadata else text


class Latex(TextDisplayObject):
    def _repr_latex_(self):
        return self._data_and_metadata()


class SVG(DisplayObject):
    def _repr_svg_(self):
        return self._data_and_metadata()


class JSON(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None, root="root", **kwargs):
        self.expanded = expanded
        super().__init__(data, url, filename, {"expanded": expanded, "root": root, **(metadata or {}), **kwargs})
        if isinstance(self.data, str):
            self.data = _json.loads(self.data)

    def _is_file(self, text):
        return False

    def _repr_json_(self):
        return self._data_and_metadata()


class Javascript(TextDisplayObject):
    def __init__(self, data=None, url=None, filename=None, lib=None, css=None):
        self.lib, self.css = [lib] if isinstance(lib, str) else lib or [], [css] if isinstance(css, str) else css or []
        super().__init__(data, url, filename)

    def _repr_javascript_(self):
        return self.data


class Image(DisplayObject):
    _mode = "rb"

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, retina=False, unconfined=False,
                 metadata=None, alt=None):
        name = filename or url or (data if isinstance(data, str) else "")
        self.format = (format or str(name).rpartition(".")[2] or "png").lower()
        self.embed = embed if embed is not None else url is None
        self.width, self.height, self.retina, self.unconfined, self.alt = width, height, retina, unconfined, alt
        super().__init__(data, url, filename, metadata)

    def reload(self):
        if self.embed and self.filename is not None:        # what is only linked is not read
            super().reload()


class Video(DisplayObject):
    _mode = "rb"

    def __init__(self, data=None, url=None, filename=None, embed=False, mimetype=None, width=None, height=None, html_attributes="controls"):
        self.embed, self.mimetype, self.width, self.height, self.html_attributes = embed, mimetype, width, height, html_attributes
        super().__init__(data, url, filename)

    def reload(self):
        if self.embed and self.filename is not None:
            super().reload()
