# matplotlib.animation -- a figure drawn many times: saved as a GIF, or as a page with its pictures.
import os as _os

from matplotlib import _canvas


class PillowWriter:
    def __init__(self, fps=5, codec=None, bitrate=None, extra_args=None, metadata=None):
        self.fps = fps


class Animation:
    def __init__(self, fig, interval=200, repeat=True, repeat_delay=0):
        self.figure, self.interval, self.repeat, self.repeat_delay = fig, interval, repeat, repeat_delay

    def pause(self):
        pass

    resume = pause

    def _pictures(self, dpi):
        for _ in self._steps():
            yield self.figure._drawn("png", dpi or self.figure.dpi).array()

    def save(self, filename, writer=None, fps=None, dpi=None, codec=None, bitrate=None, extra_args=None, metadata=None, savefig_kwargs=None, *, progress_callback=None):
        kind = _os.path.splitext(_os.fspath(filename))[1].lower()
        if kind not in (".gif", ".html"):
            raise NotImplementedError(f"Animation.save: {kind or 'a name without an ending'}; .gif and .html are here")
        fps = fps or getattr(writer, "fps", None) or 1000.0 / self.interval
        if kind == ".html":
            with open(filename, "w") as f:
                f.write(self.to_jshtml(fps))
            return
        from PIL import Image
        images = []
        for a in self._pictures(dpi):
            images.append(Image.fromarray(a))
            if progress_callback is not None:
                progress_callback(len(images) - 1, None)
        images[0].save(filename, "GIF", save_all=True, append_images=images[1:], duration=int(1000 / fps), loop=0)

    def to_jshtml(self, fps=None, embed_frames=True, default_mode=None):
        import base64
        names = ["data:image/png;base64," + base64.b64encode(_canvas._png(a)).decode() for a in self._pictures(None)]
        wait, again = 1000.0 / fps if fps else self.interval, "true" if default_mode == "loop" or default_mode is None and self.repeat else "false"
        return ("<div><img id=\"a\"><br><input id=\"s\" type=\"range\" min=\"0\" value=\"0\" style=\"width:30em\"><button id=\"p\">pause</button>\n<script>\n"
                f"const f = {names!r}, s = document.getElementById('s'), a = document.getElementById('a'), p = document.getElementById('p');\n"
                "let on = true;\ns.max = f.length - 1;\nconst show = i => { s.value = i; a.src = f[i]; };\ns.oninput = () => { on = false; show(+s.value); };\n"
                "p.onclick = () => { on = !on; p.textContent = on ? 'pause' : 'play'; };\nshow(0);\n"
                f"setInterval(() => {{ if (on) {{ const i = +s.value + 1; if (i < f.length || {again}) show(i % f.length); }} }}, {wait:g});\n</script></div>\n")

    to_html5_video = to_jshtml


class FuncAnimation(Animation):
    def __init__(self, fig, func, frames=None, init_func=None, fargs=None, save_count=None, *, cache_frame_data=True, interval=200, repeat=True, repeat_delay=0, blit=False):
        Animation.__init__(self, fig, interval, repeat, repeat_delay)
        self.func, self.frames, self.init_func, self.args, self.most = func, frames, init_func, fargs or (), save_count or 100

    def _steps(self):
        import itertools
        if self.init_func is not None:
            self.init_func()
        frames = itertools.count() if self.frames is None else range(self.frames) if isinstance(self.frames, int) else self.frames() if callable(self.frames) else self.frames
        known = self.frames is not None and not callable(self.frames) and (isinstance(self.frames, int) or hasattr(self.frames, "__len__"))
        for i, f in enumerate(frames):
            if not known and i >= self.most:
                break
            self.func(f, *self.args)
            yield i


class ArtistAnimation(Animation):
    def __init__(self, fig, artists, interval=200, repeat=True, repeat_delay=0, blit=False):
        Animation.__init__(self, fig, interval, repeat, repeat_delay)
        self.artists = [list(a) if isinstance(a, (list, tuple)) else [a] for a in artists]

    def _steps(self):
        for i in range(len(self.artists)):
            for a in [a for step in self.artists for a in step]:
                a.set_visible(False)
            for a in self.artists[i]:
                a.set_visible(True)
            yield i
