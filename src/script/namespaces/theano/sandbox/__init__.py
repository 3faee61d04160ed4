# theano.sandbox -- see aesara.sandbox.
