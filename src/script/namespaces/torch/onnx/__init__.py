# torch.onnx -- export: a module's forward, recorded on an example, as a file of ONNX. Sizes are those of the example, unless they are left
# open by dynamic_axes or dynamic_shapes.
import enum
import os
import shutil
import tempfile
import warnings

import _torch as _w
import torch

OPSET = 21          # what is written
_exporting = [0]


class OnnxExporterError(RuntimeError):
    pass


class TrainingMode(enum.IntEnum):
    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.IntEnum):
    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


def is_in_onnx_export():
    return _exporting[0] > 0


class select_model_mode_for_export:
    def __init__(self, model, mode):
        self.model, self.mode = model, mode

    def __enter__(self):
        self.was = [(m, m.training) for m in self.model.modules()]
        if self.mode != TrainingMode.PRESERVE:
            self.model.train(self.mode == TrainingMode.TRAINING)

    def __exit__(self, *exc):
        for m, was in self.was:
            m.training = was


class ONNXProgram:
    def __init__(self, recorded, input_names, output_names):
        self._recorded = recorded
        self._inputs, self._outputs = input_names, output_names

    def __call__(self, *args, **kwargs):
        import _tree
        return tuple(_tree.flatten(self._recorded.run(args, kwargs), None, False)[0])

    def save(self, destination, *, include_initializers=True, keep_initializers_as_inputs=False, external_data=None):
        if keep_initializers_as_inputs or not include_initializers or external_data:
            raise NotImplementedError("ONNXProgram.save: weights are initialisers in the file itself")
        r = self._recorded
        if r.traced.writes:
            raise OnnxExporterError("forward changes its buffers, which a graph of ONNX does not: call eval()")
        if r.traced.program.captures:
            raise OnnxExporterError("forward uses tensors that are neither its module's nor its arguments")
        tensors, state = {}, []
        paths = {id(m): p + "." if p else "" for p, m in r.mod.named_modules()}
        for s in r.state:
            m, d, name = s.places[0]
            tensors[paths[id(m)] + name] = s.t.detach()
            state.append("state " + paths[id(m)] + name)
        texts = {"method.forward": "\n".join(state), "onnx.outputs": "\n".join(self._outputs)}
        path = os.fspath(destination)
        written = path if path.endswith(".onnx") else os.path.join(tempfile.mkdtemp(), "model.onnx")
        _w.save_model(written, tensors, texts, [r.traced.program], True)
        if written != path:
            shutil.move(written, path)
            os.rmdir(os.path.dirname(written))


def export(model, args=(), f=None, *, kwargs=None, verbose=None, input_names=None, output_names=None, opset_version=None, dynamo=True,
           external_data=True, dynamic_shapes=None, custom_translation_table=None, report=False, optimize=True, verify=False,
           profile=False, dump_exported_program=False, artifacts_dir=".", export_params=True, keep_initializers_as_inputs=False,
           dynamic_axes=None, training=TrainingMode.EVAL, operator_export_type=OperatorExportTypes.ONNX, do_constant_folding=True,
           custom_opsets=None, export_modules_as_functions=False, autograd_inlining=True):
    from torch.export._record import Recorded
    for name, given in (("custom_translation_table", custom_translation_table), ("report", report), ("profile", profile),
                        ("dump_exported_program", dump_exported_program), ("custom_opsets", custom_opsets),
                        ("export_modules_as_functions", export_modules_as_functions), ("export_params=False", not export_params),
                        ("keep_initializers_as_inputs", keep_initializers_as_inputs), ("verify", verify),
                        ("operator_export_type", operator_export_type != OperatorExportTypes.ONNX)):
        if given:
            raise NotImplementedError(f"torch.onnx.export: {name}")
    if opset_version is not None and opset_version != OPSET:
        warnings.warn(f"torch.onnx.export: the model is written with opset {OPSET}, not {opset_version}", stacklevel=2)
    if isinstance(model, torch.export.ExportedProgram):
        model = model.module()
    if isinstance(args, torch.Tensor):
        args = (args,)
    args = tuple(args)
    if args and isinstance(args[-1], dict) and kwargs is None and not dynamo:
        args, kwargs = args[:-1], args[-1]          # the older convention
    _exporting[0] += 1
    try:
        with select_model_mode_for_export(model, training):
            r = Recorded(model, args, kwargs, dynamic_shapes, "torch.onnx.export", list(input_names or ()), dynamic_axes)
    finally:
        _exporting[0] -= 1
    count = r.traced.program.outputs
    given = list(output_names or [])
    if len(given) > count:
        raise ValueError(f"{len(given)} names for {count} outputs")
    outputs = given + [f"output_{i}" if count > 1 else "output" for i in range(len(given), count)]
    p = ONNXProgram(r, r.names, outputs)
    if verbose:
        print(r.traced.program.text())
    if f is not None:
        p.save(f)
    return p if dynamo else None
