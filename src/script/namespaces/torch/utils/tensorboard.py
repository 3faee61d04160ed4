# torch.utils.tensorboard -- event files that TensorBoard reads.
#
#   file     records: length (u64), its masked CRC-32C, the event, the masked CRC-32C of that
#   event    protocol buffers: wall_time = 1 (double), step = 2, file_version = 3, graph_def = 4, summary = 5 {value = 1 {tag = 1,
#            simple_value = 2, image = 4, histo = 5, audio = 6, tensor = 8, metadata = 9}}
import os
import struct
import time
import zlib

import numpy as np
from _proto import int_ as _int, double as _double, float_ as _float, bytes_ as _bytes, doubles as _doubles, record


# ---- what is written ----


def _array(x):
    if hasattr(x, "detach"):
        x = x.detach().cpu().numpy()
    return np.asarray(x)


def _number(x):
    a = _array(x)
    if a.size != 1:
        raise ValueError("a scalar is one number, found %d" % a.size)
    return float(a.reshape(-1)[0])


def _png(a):
    height, width, channels = a.shape
    kinds = {1: 0, 2: 4, 3: 2, 4: 6}
    raw = a.tobytes()
    line = width * channels
    rows = b"".join([b"\0" + raw[i * line:(i + 1) * line] for i in range(height)])

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kinds[channels], 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def _picture(x, dataformats):
    a = _array(x)
    form = dataformats.upper()
    if len(form) != a.ndim:
        raise AssertionError("size of input tensor and input format are different. tensor shape: %s, input_format: %s" % (a.shape, form))
    if "N" in form:
        a = np.concatenate([a[i] for i in range(a.shape[0])], axis=form.replace("N", "").index("W"))
        form = form.replace("N", "")
    if form == "HW":
        a = a.reshape(a.shape[0], a.shape[1], 1)
    else:
        a = np.transpose(a, [form.index(c) for c in "HWC"])
    if a.dtype != np.uint8:
        a = np.clip(np.floor(a.astype(np.float64) * 255), 0, 255).astype(np.uint8)
    if a.shape[2] == 1:
        a = np.concatenate([a, a, a], axis=2)
    return np.ascontiguousarray(a)


def _frames(x):
    # [batch, time, channel, height, width] as the pictures of a GIF; the batch is a grid of as many rows as columns, or half as many.
    a = _array(x)
    if a.ndim != 5:
        raise ValueError(f"add_video: a video is [batch, time, channel, height, width], found {a.ndim} axes")
    if a.shape[2] not in (1, 3):
        raise NotImplementedError(f"add_video: {a.shape[2]} channels; 1 and 3 are here")
    if a.dtype != np.uint8:
        a = np.clip(a.astype(np.float32) * np.float32(255), 0, 255).astype(np.uint8)
    n = 1
    while n < a.shape[0]:
        n *= 2
    rows = 2 ** ((a.shape[0].bit_length() - 1) // 2)
    a = np.concatenate([a, np.zeros((n - a.shape[0],) + a.shape[1:], np.uint8)])
    _, t, c, h, w = a.shape
    return a.reshape(rows, n // rows, t, c, h, w).transpose(2, 0, 4, 1, 5, 3).reshape(t, rows * h, n // rows * w, c)


def _wave(x, rate):
    # One channel of 16 bits, and how many samples it has.
    a = _array(x).squeeze()
    if a.size and abs(a).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        a = a.clip(-1, 1)
    if a.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    data = (a * 32767).astype("<i2").tobytes()
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" +
            struct.pack("<I", len(data)) + data), len(a)


def _edges():
    # Borders of buckets as TensorFlow has them: steps of a tenth, both signs.
    v, up = 1e-12, []
    while v < 1e20:
        up.append(v)
        v *= 1.1
    return [-x for x in reversed(up)] + [0.0] + up


_EDGES = None


def _histogram(values, bins):
    global _EDGES
    a = _array(values).astype(np.float64).reshape(-1)
    if a.size == 0:
        raise ValueError("The input has no element.")
    if isinstance(bins, str) and bins != "tensorflow":
        edges = [float(x) for x in np.histogram(a, bins=30)[1]]
    elif isinstance(bins, str):
        _EDGES = _EDGES or _edges()
        edges = _EDGES
    else:
        edges = [float(x) for x in bins] if not isinstance(bins, int) else [float(x) for x in np.histogram(a, bins=bins)[1]]
    below = np.searchsorted(np.sort(a), np.asarray(edges[1:-1])).tolist()      # how many are below each border
    counts = [float(n - m) for m, n in zip([0] + below, below + [a.size])]
    first = next(i for i, n in enumerate(counts) if n)
    last = len(counts) - next(i for i, n in enumerate(reversed(counts)) if n)
    limits, counts = edges[first + 1:last + 1], counts[first:last]
    limits, counts = [edges[first]] + limits, [0.0] + counts
    return (_double(1, float(a.min())) + _double(2, float(a.max())) + _double(3, float(a.size)) + _double(4, float(a.sum())) +
            _double(5, float((a * a).sum())) + _doubles(6, limits) + _doubles(7, counts))


# ---- plug-ins: what they know of a value is in its metadata ----


def _plugin(name, content=b""):
    return _bytes(9, _bytes(1, _bytes(1, name) + (_bytes(2, content) if content else b"")))


def _value_of(x):
    # google.protobuf.Value, and the number of its type for hparams
    if isinstance(x, str):
        return _bytes(3, x), 1
    if not isinstance(x, (int, float)):
        if not hasattr(x, "detach"):
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        x = _number(x)
    return _double(2, float(x)), 3


def _hparams(hparams, metrics, domains):
    # api.proto of the plug-in: Experiment {4: HParamInfo {1: name, 4: type, 5: domain}, 5: MetricInfo {1: {2: tag}}}, SessionStartInfo {1: map},
    # SessionEndInfo {1: status}
    start, infos = b"", b""
    for key, x in hparams.items():
        if x is None:
            continue
        value, kind = _value_of(x)
        start += _bytes(1, _bytes(1, key) + _bytes(2, value))
        info = _bytes(1, key) + _int(4, kind)
        if key in domains:
            info += _bytes(5, b"".join([_bytes(1, _value_of(d)[0]) for d in domains[key]]))
        infos += _bytes(4, info)
    for tag in metrics:
        infos += _bytes(5, _bytes(1, _bytes(2, tag)))
    return [("_hparams_/experiment", _bytes(2, infos)), ("_hparams_/session_start_info", _bytes(3, start)),
            ("_hparams_/session_end_info", _bytes(4, _int(1, 1)))]


def _pr_curve(labels, predictions, n, weights):
    # Rows: true and false positives and negatives, precision, recall, for each of n thresholds between 0 and 1
    labels, predictions = _array(labels).astype(np.float64).reshape(-1), _array(predictions).astype(np.float64).reshape(-1)
    weights = np.ones(labels.shape) if weights is None else _array(weights).astype(np.float64) * np.ones(labels.shape)
    place = np.clip(np.floor(predictions * (n - 1)), 0, n - 1).astype(np.int64)
    at_least = [np.cumsum(np.bincount(place, weights=w, minlength=n)[::-1])[::-1] for w in (labels * weights, (1 - labels) * weights)]
    tp, fp = at_least
    tn, fn = fp[0] - fp, tp[0] - tp
    return np.stack([tp, fp, tn, fn, tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn)])


def _sprite(images):
    # [N,C,H,W] as a square of pictures, row by row
    a = _array(images)
    n, channels, height, width = a.shape
    side = int(np.ceil(n ** 0.5))
    out = np.zeros((side * width, side * width, 3), np.uint8)
    for i in range(n):
        y, x = i // side * height, i % side * width
        one = _picture(a[i], "CHW")
        rows = max(0, min(height, out.shape[0] - y))
        out[y:y + rows, x:x + width] = one[:rows]
    return out


def _node(name, op, inputs=(), attributes=()):
    out = _bytes(1, name) + _bytes(2, op)
    for i in inputs:
        out += _bytes(3, i)
    for key, text in attributes:
        out += _bytes(5, _bytes(1, key) + _bytes(2, _bytes(2, text)))
    return _bytes(1, out)


def _tree_nodes(module, path, nodes, before):
    # A node for each part without parts, one after the other, as modules are listed.
    kids = list(module.named_children())
    if not kids:
        nodes.append(_node(path, type(module).__name__, [before] if before else [], [("repr", repr(module))]))
        return path
    for name, kid in kids:
        before = _tree_nodes(kid, path + "/" + name, nodes, before)
    return before


class FileWriter:
    def __init__(self, log_dir, filename_suffix=""):
        os.makedirs(log_dir, exist_ok=True)
        now = time.time()
        self.path = os.path.join(str(log_dir), "events.out.tfevents.%010d.weft.%d.%d%s" % (int(now), os.getpid(), FileWriter.count, filename_suffix))
        FileWriter.count += 1
        self.file = open(self.path, "wb")
        self.event(_bytes(3, "brain.Event:2"), 0, now)

    count = 0

    def event(self, body, step=None, walltime=None):
        data = _double(1, time.time() if walltime is None else walltime)
        if step is not None:
            data += _int(2, int(step))
        data += body
        self.file.write(record(data))

    def flush(self):
        self.file.flush()

    def close(self):
        self.file.close()

    def get_logdir(self):
        return os.path.dirname(self.path)


class SummaryWriter:
    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_weft" + comment)
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self.max_queue, self.flush_secs = max_queue, flush_secs
        self.filename_suffix = filename_suffix
        self.writers, self.embeddings = {}, []
        self.waiting, self.flushed = 0, time.time()
        self._writer()

    def _writer(self, part=None):
        if part not in self.writers:
            folder = self.log_dir if part is None else os.path.join(self.log_dir, part)
            self.writers[part] = FileWriter(folder, self.filename_suffix)
            if self.purge_step is not None:
                # what a restarted run wrote from this step on does not count
                self.writers[part].event(_bytes(7, _int(1, 1)), self.purge_step)
        return self.writers[part]

    def _add(self, body, step, walltime, part=None):
        self._writer(part).event(body, step, walltime)
        self.waiting += 1
        if self.waiting >= self.max_queue or time.time() - self.flushed > self.flush_secs:
            self.flush()

    def _value(self, tag, body, step, walltime, part=None):
        self._add(_bytes(5, _bytes(1, _bytes(1, tag) + body)), step, walltime, part)

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        x = _number(scalar_value)
        if new_style:
            kind = _int(1, 2) + _double(6, x) if double_precision else _int(1, 1) + _float(5, x)
            self._value(tag, _bytes(8, kind + _bytes(2, b"")) + _plugin("scalars"), global_step, walltime)
        else:
            self._value(tag, _float(2, x), global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        for tag, x in tag_scalar_dict.items():
            self._value(main_tag, _float(2, _number(x)), global_step, walltime, main_tag.replace("/", "_") + "_" + tag)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        if max_bins is not None:
            raise NotImplementedError("add_histogram: max_bins is not there yet")
        self._value(tag, _bytes(5, _histogram(values, bins)), global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        a = _picture(img_tensor, dataformats)
        self._value(tag, _bytes(4, _int(1, a.shape[0]) + _int(2, a.shape[1]) + _int(3, a.shape[2]) + _bytes(4, _png(a))), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None):
        from PIL import Image, _files

        frames = _frames(vid_tensor)
        _, h, w, c = frames.shape
        gif = _files.write_gif([Image.fromarray(f if c == 3 else f[..., 0]) for f in frames], 1000 / fps, 0)
        self._value(tag, _bytes(4, _int(1, h) + _int(2, w) + _int(3, c) + _bytes(4, gif)), global_step, walltime)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        sound, n = _wave(snd_tensor, sample_rate)
        self._value(tag, _bytes(6, _float(1, sample_rate) + _int(2, 1) + _int(3, n) + _bytes(4, sound) + _bytes(5, "audio/wav")), global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        import matplotlib.pyplot as plt

        figures = figure if isinstance(figure, list) else [figure]
        pixels = []
        for f in figures:
            f.canvas.draw()
            pixels.append(np.asarray(f.canvas.buffer_rgba())[:, :, :3])
            if close:
                plt.close(f)
        self.add_image(tag, np.concatenate(pixels, axis=1), global_step, walltime, "HWC")

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        n = min(num_thresholds, 127)
        data = _pr_curve(labels, predictions, n, weights)
        shape = _bytes(2, _bytes(2, _int(1, 6)) + _bytes(2, _int(1, n)))
        numbers = _bytes(5, struct.pack("<%df" % (6 * n), *[float(x) for x in data.reshape(-1)]))
        self._value(tag, _bytes(8, _int(1, 1) + shape + numbers) + _plugin("pr_curves", _int(2, n)), global_step, walltime)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        domains = hparam_domain_discrete or {}
        for key, d in domains.items():
            if key not in hparam_dict or not isinstance(d, list) or not all([isinstance(x, type(hparam_dict[key])) for x in d]):
                raise TypeError("parameter: hparam_domain_discrete[%s] should be a list of same type as hparam_dict[%s]." % (key, key))
        with SummaryWriter(os.path.join(self.log_dir, run_name or str(time.time()))) as w:
            for tag, content in _hparams(hparam_dict, metric_dict, domains):
                w._value(tag, _plugin("hparams", content), global_step, None)
            for tag, x in metric_dict.items():
                w.add_scalar(tag, x, global_step)

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        a = _array(mat)
        if a.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        step = "%05d" % (global_step or 0)
        part = step + "/" + "".join(["%%%02x" % ord(c) if c in "%/\\" else c for c in tag])
        folder = os.path.join(self.log_dir, part)
        os.makedirs(folder, exist_ok=True)
        info = 'tensor_name: "%s:%s"\n  tensor_path: "%s/tensors.tsv"\n' % (tag, step, part)
        with open(os.path.join(folder, "tensors.tsv"), "w") as f:
            for row in a:
                f.write("\t".join([str(x.item()) for x in row]) + "\n")
        if metadata is not None:
            if len(metadata) != a.shape[0]:
                raise AssertionError("#labels should equal with #data points")
            if metadata_header and len(metadata_header) != len(metadata[0]):
                raise AssertionError("len of header must be equal to the number of columns in metadata")
            rows = ["\t".join([str(x) for x in r]) for r in [metadata_header] + list(metadata)] if metadata_header else [str(x) for x in metadata]
            with open(os.path.join(folder, "metadata.tsv"), "w") as f:
                f.write("\n".join(rows) + "\n")
            info += '  metadata_path: "%s/metadata.tsv"\n' % part
        if label_img is not None:
            if label_img.shape[0] != a.shape[0]:
                raise AssertionError("#images should equal with #data points")
            with open(os.path.join(folder, "sprite.png"), "wb") as f:
                f.write(_png(_sprite(label_img)))
            info += '  sprite {\n    image_path: "%s/sprite.png"\n    single_image_dim: %d\n    single_image_dim: %d\n  }\n' % (
                part, label_img.shape[3], label_img.shape[2])
        self.embeddings.append("embeddings {\n  %s}\n" % info)
        with open(os.path.join(self.log_dir, "projector_config.pbtxt"), "w") as f:
            f.write("".join(self.embeddings))

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        tensor = _int(1, 7) + _bytes(2, _bytes(2, _int(1, 1))) + _bytes(8, text_string)
        self._value(tag + "/text_summary", _bytes(8, tensor) + _plugin("text"), global_step, walltime)

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        # The tree of modules, in the order they are listed: what runs between them is not in it.
        if input_to_model is not None:
            args = input_to_model if isinstance(input_to_model, (tuple, list)) else (input_to_model,)
            model(*args)  # one that cannot take it fails here, as a trace does
        nodes = [_node("input", "Placeholder")]
        last = _tree_nodes(model, type(model).__name__, nodes, "input")
        nodes.append(_node("output", "Identity", [last]))
        if verbose:
            print(model)
        if not use_strict_trace:
            raise NotImplementedError("add_graph: use_strict_trace=False is not there: nothing is traced")
        self._add(_bytes(4, b"".join(nodes) + _bytes(4, _int(1, 22))), None, None)

    def flush(self):
        for w in self.writers.values():
            w.flush()
        self.waiting, self.flushed = 0, time.time()

    def close(self):
        for w in self.writers.values():
            w.close()
        self.writers = {}

    def get_logdir(self):
        return self.log_dir

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
