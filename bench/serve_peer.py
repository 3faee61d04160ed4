"""serve_peer.py -- what weft serve is measured against: ONNX Runtime behind Python's threading HTTP server, by the same protocol.

    python bench/serve_peer.py MODEL.onnx PORT      with numpy and onnxruntime; then bench/serve_load asks it
"""
import http.server
import json
import socketserver
import sys

import numpy as np
import onnxruntime as ort

options = ort.SessionOptions()
options.intra_op_num_threads = 1
session = ort.InferenceSession(sys.argv[1], options)
name = session.get_inputs()[0].name


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        x = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["inputs"][0]
        y = session.run(None, {name: np.array(x["data"], np.float32).reshape(x["shape"])})[0]
        out = {"name": session.get_outputs()[0].name, "datatype": "FP32", "shape": list(y.shape), "data": y.ravel().tolist()}
        text = json.dumps({"model_name": "model", "outputs": [out]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


Server(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
