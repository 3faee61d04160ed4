# tensorflow.contrib -- of version 1's contributed parts, eager, rnn, layers and seq2seq.
from tensorflow.contrib import eager, layers, rnn, seq2seq
