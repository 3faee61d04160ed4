# IPython.display -- display and what it shows. Without a notebook it prints, as IPython does in plain Python.
import os as _os
import sys as _sys

from IPython.core.display import (DisplayObject, HTML, Image, JSON, Javascript, Latex, Markdown, Math, Pretty, SVG, TextDisplayObject, Video)


def display(*objs, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, **kwargs):
    print(*objs)


def update_display(obj, *, display_id, **kwargs):
    display(obj, display_id=display_id, **kwargs)


def clear_output(wait=False):
    print("\033[2K\r", end="")
    _sys.stdout.flush()
    print("\033[2K\r", end="")
    _sys.stderr.flush()


def _of(mime):
    return lambda *objs, raw=False, **kwargs: display(*([{mime: o} for o in objs] if raw else objs), **kwargs)


display_html, display_markdown, display_latex, display_svg = _of("text/html"), _of("text/markdown"), _of("text/latex"), _of("image/svg+xml")


class Code(TextDisplayObject):
    def __init__(self, data=None, url=None, filename=None, language=None):
        self.language = language
        super().__init__(data, url, filename)

    def __repr__(self):
        return self.data


class IFrame:
    def __init__(self, src, width, height, extras=None, **kwargs):
        self.src, self.width, self.height, self.extras, self.params = src, width, height, extras or [], kwargs


class FileLink:
    def __init__(self, path, url_prefix="", result_html_prefix="", result_html_suffix="<br>"):
        if _os.path.isdir(path):
            raise ValueError("Cannot display a directory using FileLink. Use FileLinks to display '%s'." % path)
        self.path, self.url_prefix = str(path), url_prefix

    def __repr__(self):
        return _os.path.abspath(self.path)


class Audio(DisplayObject):
    # Sound: samples (numbers, with their rate) or the bytes of a file.
    _mode = "rb"

    def __init__(self, data=None, filename=None, url=None, embed=None, rate=None, autoplay=False, normalize=True, *, element_id=None):
        if filename is None and url is None and data is None:
            raise ValueError("No audio data found. Expecting filename, url, or data.")
        if data is not None and not isinstance(data, (bytes, str)) and rate is None:
            raise ValueError("rate must be specified when data is a numpy array or list of audio samples.")
        self.rate, self.autoplay, self.normalize, self.element_id = rate, autoplay, normalize, element_id
        self.embed = embed if embed is not None else url is None
        super().__init__(data, url, filename)

    def reload(self):
        if self.embed and self.filename is not None:
            super().reload()
