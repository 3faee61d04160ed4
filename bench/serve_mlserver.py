"""serve_mlserver.py -- what weft serve is measured against: MLServer (PyPI) with ONNX Runtime, one model of MODEL.onnx in this process.

In a folder with this file as model.py, `mlserver start FOLDER` beside

    settings.json         {"host": "127.0.0.1", "http_port": 8731, "grpc_port": 8732, "metrics_port": 8733, "parallel_workers": 0, "debug": false}
    model-settings.json   {"name": "model", "implementation": "model.Model", "parameters": {"uri": "MODEL.onnx"}}

then bench/serve_load asks both.
"""

import numpy as np
import onnxruntime as ort
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Model(MLModel):
    async def load(self):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(self.settings.parameters.uri, options)
        return True

    async def predict(self, payload):
        x = NumpyCodec.decode_input(payload.inputs[0]).astype(np.float32)
        y = self.session.run(None, {self.session.get_inputs()[0].name: x})[0]
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", y)])
