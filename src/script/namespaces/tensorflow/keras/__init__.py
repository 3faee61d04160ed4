# tensorflow.keras -- layers, losses, optimisers and models, as far as training needs them.
from tensorflow.keras import activations, losses, optimizers, layers, metrics, models, utils, backend, callbacks
from tensorflow import initializers
from tensorflow.keras.models import Sequential, Model
from tensorflow.keras.layers import Input
from tensorflow._module import Module as _Module
