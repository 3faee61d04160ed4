"""TensorBoard's own reader on what torch.utils.tensorboard wrote: python3 tensorboard_peers.py FOLDER"""
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

a = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "histograms": 0, "images": 0, "audio": 0, "tensors": 0})
a.Reload()
tags = a.Tags()
assert tags["scalars"] == ["loss"] and sorted(tags["images"]) == ["figure", "film", "picture"] and tags["audio"] == ["sound"] and tags["histograms"] == ["weights"] and tags["graph"], tags
assert [(e.step, round(e.value, 6)) for e in a.Scalars("loss")] == [(i, round(1 / (i + 1), 6)) for i in range(5)]
h = a.Histograms("weights")[0].histogram_value
assert (h.min, h.max, h.num) == (-1, 2, 100) and abs(h.sum - 50) < 1e-4, h
assert sum(h.bucket) == 100 and len(h.bucket) == len(h.bucket_limit)
assert all(x < y for x, y in zip(h.bucket_limit, h.bucket_limit[1:]))
i = a.Images("picture")[0]
assert (i.width, i.height, i.step) == (4, 4, 2)
try:
    import io

    import numpy as np
    from PIL import Image

    got = np.asarray(Image.open(io.BytesIO(i.encoded_image_string)))
    want = np.floor(np.arange(48).reshape(3, 4, 4).transpose(1, 2, 0) / 48.0 * 255).astype(np.uint8)
    assert np.abs(got.astype(int) - want.astype(int)).max() <= 1
except ImportError:
    pass
import io
import wave

s = a.Audio("sound")[0]
assert (s.step, s.sample_rate, s.length_frames, s.content_type) == (3, 8000, 6, "audio/wav"), s
w = wave.open(io.BytesIO(s.encoded_audio_string))
assert w.getparams()[:4] == (1, 2, 8000, 6)
sound = [max(-1.0, -1.5 + 0.5 * i) for i in range(6)]
assert [int.from_bytes(w.readframes(1), "little", signed=True) for _ in sound] == [int(x * 32767) for x in sound]
f = a.Images("film")[0]
assert (f.width, f.height, f.step) == (16, 2, 4), (f.width, f.height)
try:
    from PIL import Image, ImageSequence

    film = Image.open(io.BytesIO(f.encoded_image_string))
    assert film.n_frames == 2 and film.info["duration"] == 200 and film.info["loop"] == 0
    x = (np.arange(144, dtype=np.float32).reshape(3, 2, 3, 2, 4) / np.float32(143) * np.float32(255)).astype(np.uint8)
    for t, got in enumerate(ImageSequence.Iterator(film)):
        want = np.concatenate([x[b, t] for b in range(3)] + [np.zeros((3, 2, 4), np.uint8)], axis=2).transpose(1, 2, 0)
        assert np.abs(np.asarray(got.convert("RGB")).astype(int) - want).max() <= 1
except ImportError:
    pass
assert [n.name for n in a.Graph().node] == ["input", "Sequential/0", "Sequential/1", "output"]
assert a.Tensors("note/text_summary")[0].tensor_proto.string_val[0] == b"hello *there*"
f = a.Images("figure")[0]
assert (f.width, f.height, f.step) == (100, 50, 1)
curve = a.Tensors("curve")[0].tensor_proto
assert [d.size for d in curve.tensor_shape.dim] == [6, 5] and list(curve.float_val)[:10] == [5, 4, 3, 1, 0, 5, 3, 2, 1, 0], curve
assert a.SummaryMetadata("curve").plugin_data.plugin_name == "pr_curves"
from google.protobuf import text_format
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

h = EventAccumulator(sys.argv[1] + "/try")
h.Reload()
assert [(e.step, e.value) for e in h.Scalars("reached")] == [(2, 0.5)]
found = {}
for tag, content in h.PluginTagToContent("hparams").items():
    found[tag] = plugin_data_pb2.HParamsPluginData.FromString(content)
start = found["_hparams_/session_start_info"].session_start_info.hparams
assert sorted(start) == ["lr", "opt"] and start["lr"].number_value == 0.1 and start["opt"].string_value == "adam"
infos = found["_hparams_/experiment"].experiment
assert [i.name for i in infos.hparam_infos] == ["lr", "opt"] and [v.string_value for v in infos.hparam_infos[1].domain_discrete.values] == ["adam", "sgd"]
assert infos.metric_infos[0].name.tag == "reached" and found["_hparams_/session_end_info"].session_end_info.status == 1
config = text_format.Parse(open(sys.argv[1] + "/projector_config.pbtxt").read(), ProjectorConfig())
assert config.embeddings[0].tensor_name == "my/tag:00004" and list(config.embeddings[0].sprite.single_image_dim) == [2, 2]
b = EventAccumulator(sys.argv[1] + "/both_b")
b.Reload()
assert [(e.step, e.value) for e in b.Scalars("both")] == [(3, 2.5)]
