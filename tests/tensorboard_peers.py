"""TensorBoard's own reader on what torch.utils.tensorboard wrote: python3 tensorboard_peers.py FOLDER"""
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

a = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "histograms": 0, "images": 0, "tensors": 0})
a.Reload()
tags = a.Tags()
assert tags["scalars"] == ["loss"] and tags["images"] == ["picture"] and tags["histograms"] == ["weights"] and tags["graph"], tags
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
assert [n.name for n in a.Graph().node] == ["input", "Sequential/0", "Sequential/1", "output"]
assert a.Tensors("note/text_summary")[0].tensor_proto.string_val[0] == b"hello *there*"
b = EventAccumulator(sys.argv[1] + "/both_b")
b.Reload()
assert [(e.step, e.value) for e in b.Scalars("both")] == [(3, 2.5)]
