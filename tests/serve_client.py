"""The protocol's own client asks weft serve: python3 serve_client.py HOST:PORT, with the models of test_serve.sh."""
import sys

import numpy as np
import tritonclient.http as http

client = http.InferenceServerClient(sys.argv[1])
assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("double")
assert client.get_server_metadata()["name"] == "weft"
assert client.get_model_metadata("double")["inputs"][0] == {"name": "x", "datatype": "FP32", "shape": [-1, 2]}
x = np.random.default_rng(0).normal(size=(3, 2)).astype(np.float32)
n = np.array([1, 2, 2**60], np.int64)
for binary in (True, False):
    inputs = [http.InferInput("x", x.shape, "FP32"), http.InferInput("n", n.shape, "INT64")]
    inputs[0].set_data_from_numpy(x, binary_data=binary)
    inputs[1].set_data_from_numpy(n, binary_data=not binary)
    for out in (True, False):
        outputs = [http.InferRequestedOutput("output0", binary_data=out), http.InferRequestedOutput("output1", binary_data=out)]
        r = client.infer("double", inputs, outputs=outputs, request_id="q7")
        assert r.get_response()["id"] == "q7"
        assert np.array_equal(r.as_numpy("output0"), x + x) and np.array_equal(r.as_numpy("output1"), n + n)
try:
    client.infer("none", inputs)
    raise SystemExit("a model that is not there was run")
except http.InferenceServerException as e:
    assert "there is no model" in str(e), e
assert client.get_inference_statistics("double")["model_stats"][0]["inference_stats"]["success"]["count"] >= 4
