# tensorflow.compat.v1.nn -- tensorflow.nn with version 1's dropout, whose second argument is what is kept, and its recurrent networks.
from tensorflow.nn import *
from tensorflow.nn import dropout_v1 as dropout, embedding_lookup_v1 as embedding_lookup
from tensorflow.compat import v1_rnn_cell as rnn_cell
from tensorflow.compat.v1_rnn_cell import bidirectional_dynamic_rnn, dynamic_rnn, static_bidirectional_rnn, static_rnn
