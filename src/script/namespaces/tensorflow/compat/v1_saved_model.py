# tensorflow.compat.v1.saved_model -- sessions' graphs in files, with signatures. What is written has variables as constants.
import os as _os

from tensorflow import _saved
from tensorflow._saved import SignatureDef, TensorInfo
from tensorflow.saved_model import contains_saved_model


class signature_constants:
    DEFAULT_SERVING_SIGNATURE_DEF_KEY, PREDICT_METHOD_NAME = _saved.DEFAULT, _saved.PREDICT
    PREDICT_INPUTS, PREDICT_OUTPUTS = "inputs", "outputs"
    CLASSIFY_METHOD_NAME, REGRESS_METHOD_NAME = "tensorflow/serving/classify", "tensorflow/serving/regress"


class tag_constants:
    SERVING, TRAINING, GPU, TPU = _saved.SERVING, _saved.TRAINING, "gpu", "tpu"


def build_tensor_info(tensor):
    return TensorInfo(tensor.name, tensor.dtype, tensor.shape)


def build_signature_def(inputs=None, outputs=None, method_name=None):
    return SignatureDef(inputs, outputs, method_name or "")


def predict_signature_def(inputs, outputs):
    if not inputs or not outputs:
        raise ValueError("Both `inputs` and `outputs` must be non-empty.")
    return SignatureDef({k: build_tensor_info(t) for k, t in inputs.items()}, {k: build_tensor_info(t) for k, t in outputs.items()})


class utils:
    build_tensor_info = staticmethod(build_tensor_info)


class signature_def_utils:
    build_signature_def = staticmethod(build_signature_def)
    predict_signature_def = staticmethod(predict_signature_def)


class Builder:
    def __init__(self, export_dir):
        self._folder, self._made = str(export_dir), None
        if _os.path.exists(self._folder) and _os.listdir(self._folder):
            raise AssertionError(f"Export directory {self._folder} already exists, and isn't empty. Please choose a different export directory, "
                                 "or delete all the contents of the specified directory.")

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_list=None, clear_devices=False, init_op=None, train_op=None,
                                     strip_default_attrs=False, saver=None, main_op=None, legacy_init_op=None):
        for name, v in (("assets_list", assets_list), ("init_op", init_op), ("train_op", train_op), ("main_op", main_op),
                        ("legacy_init_op", legacy_init_op), ("saver", saver)):
            if v is not None:
                raise NotImplementedError(f"add_meta_graph_and_variables: {name}")
        if self._made is not None:
            raise AssertionError("Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` instead.")
        if not signature_def_map:
            raise NotImplementedError("add_meta_graph_and_variables: a graph without signatures")
        inputs, outputs = [], []
        for s in signature_def_map.values():
            for infos, found in ((s.inputs, inputs), (s.outputs, outputs)):
                for k in sorted(infos):
                    t = sess.graph.get_tensor_by_name(infos[k].name)
                    if t not in found:
                        found.append(t)
        graph = _saved.graph_of_session(sess, inputs, outputs)
        named = {t.name: _saved.written(t) + ":0" for t in outputs}
        for s in signature_def_map.values():
            s.outputs = {k: TensorInfo(named[i.name], i.dtype, i.tensor_shape) for k, i in s.outputs.items()}
        self._made = graph, list(tags), dict(signature_def_map)

    def save(self, as_text=False):
        if as_text:
            raise NotImplementedError("SavedModelBuilder.save: as_text=True")
        _saved.write(self._folder, *self._made)
        return (self._folder + "/saved_model.pb").encode()


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    b = Builder(export_dir)
    b.add_meta_graph_and_variables(session, [_saved.SERVING], {_saved.DEFAULT: predict_signature_def(inputs, outputs)}, legacy_init_op=legacy_init_op)
    b.save()


class _MetaGraph:
    def __init__(self, signatures):
        self.signature_def = signatures


def load(sess, tags, export_dir, import_scope=None):
    if import_scope is not None:
        raise NotImplementedError("saved_model.load: import_scope")
    signatures = _saved.signatures_of(str(export_dir), tags)
    for f in _saved.functions_of(str(export_dir), signatures).values():
        _saved.into_graph(sess.graph, f)
    return _MetaGraph(signatures)


class builder:
    SavedModelBuilder = Builder


class loader:
    load = staticmethod(load)
    maybe_saved_model_directory = staticmethod(contains_saved_model)
