# tensorflow.keras.callbacks
class Callback:
    pass


class EarlyStopping(Callback):
    def __init__(self, monitor="val_loss", patience=0, **kw):
        self.monitor, self.patience = monitor, patience
