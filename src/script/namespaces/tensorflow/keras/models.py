# tensorflow.keras.models -- Model and Sequential, with compile, fit, evaluate and predict.
import _tf as _w
import random as _random
from tensorflow._base import as_tensor
from tensorflow._tape import GradientTape
from tensorflow._variable import Variable
from tensorflow.keras import optimizers, losses, metrics as _metrics
from tensorflow.keras.layers import Layer, InputLayer


class History:
    def __init__(self):
        self.history = {}
        self.epoch = []


class Model(Layer):
    _self_training = True

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, run_eagerly=False, jit_compile="auto", steps_per_execution=1):
        self._self_optimizer = optimizers.get(optimizer)
        self._self_loss = losses.get(loss)
        self._self_metrics = [(m if isinstance(m, str) else m.name, m) for m in metrics or []]

    @property
    def optimizer(self):
        return self._self_optimizer

    def _batches(self, x, y, size, shuffle):
        n = x.shape[0]
        order = list(range(n))
        if shuffle:
            _random.shuffle(order)
        for i in range(0, n, size):
            at = _w.tensor(order[i:i + size], _w.int64)
            yield _w.take(x, at, 0), _w.take(y, at, 0)

    def train_step(self, x, y):
        with GradientTape() as tape:
            p = self._call_training(x)
            loss = self._self_loss(y, p)
        variables = self.trainable_variables
        self._self_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss, p

    def _call_training(self, x):
        return self(x, training=True) if _accepts_training(self) else self(x)

    def _measure(self, y, p):
        out = {}
        for name, m in self._self_metrics:
            fn = _metrics.get(m)
            out[name] = float(fn(y, p))
        return out

    def fit(self, x=None, y=None, batch_size=32, epochs=1, verbose=1, shuffle=True, validation_data=None, callbacks=None):
        if callbacks:
            raise NotImplementedError("Model.fit: callbacks")
        h = History()
        for epoch in range(epochs):
            pairs = self._batches(as_tensor(x), as_tensor(y), batch_size or 32, shuffle) if y is not None else iter(x)
            total, n, sums = 0.0, 0, {}
            for bx, by in pairs:
                loss, p = self.train_step(bx, by)
                k = bx.shape[0]
                total += float(loss) * k
                n += k
                for name, v in self._measure(by, p).items():
                    sums[name] = sums.get(name, 0.0) + v * k
            h.epoch.append(epoch)
            h.history.setdefault("loss", []).append(total / n)
            for name, v in sums.items():
                h.history.setdefault(name, []).append(v / n)
            if validation_data is not None:
                r = self.evaluate(validation_data[0], validation_data[1], verbose=0)
                h.history.setdefault("val_loss", []).append(r[0] if isinstance(r, list) else r)
        return h

    def evaluate(self, x=None, y=None, batch_size=32, verbose=1):
        x, y = as_tensor(x), as_tensor(y)
        p = self(x)
        out = [float(self._self_loss(y, p))] + list(self._measure(y, p).values())
        return out if len(out) > 1 else out[0]

    def predict(self, x, batch_size=32, verbose=0):
        return as_tensor(self(as_tensor(x))).numpy()

    def summary(self):
        print(f"Model: {self.name!r}, {self.count_params()} parameters")


def _accepts_training(model):
    return isinstance(model, Sequential)


class Sequential(Model):
    def __init__(self, layers=None, name=None):
        super().__init__(name=name or "sequential")
        self._self_layers = []
        for l in layers or []:
            self.add(l)

    def add(self, layer):
        if isinstance(layer, InputLayer):
            self._self_first = layer.shape
            self._prebuild(layer.shape)
            return
        self._self_layers.append(layer)
        shape = getattr(layer, "_self_input", None)
        if shape is not None and len(self._self_layers) == 1:
            self._self_first = shape
        first = getattr(self, "_self_first", None)
        if first is not None:
            self._prebuild(first)

    def _prebuild(self, shape):
        # run the layers once, so that the variables are there
        x = _w.full([1] + list(shape), 0.0)
        for l in self._self_layers:
            x = l(x)
        self._self_built = True

    @property
    def layers(self):
        return self._self_layers

    def pop(self):
        return self._self_layers.pop()

    def build(self, input_shape=None):
        if input_shape is not None and not self._self_built:
            self._self_built = True
            if None in tuple(input_shape)[:1] or isinstance(input_shape, (list, tuple)):
                self._prebuild(tuple(input_shape)[1:])

    def call(self, x, training=False):
        for l in self._self_layers:
            x = l(x, training=training)
        return x

    @property
    def variables(self):
        out = []
        for l in self._self_layers:
            out += list(l.variables)
        return out

    @property
    def trainable_variables(self):
        out = []
        for l in self._self_layers:
            out += list(l.trainable_variables)
        return out

    trainable_weights = trainable_variables
