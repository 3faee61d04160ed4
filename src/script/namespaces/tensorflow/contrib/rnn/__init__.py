# tensorflow.contrib.rnn -- see tensorflow.compat.v1.nn.rnn_cell.
from tensorflow.compat.v1_rnn_cell import *
from tensorflow.compat.v1_rnn_cell import static_rnn, static_bidirectional_rnn
