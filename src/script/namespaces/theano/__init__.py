# theano -- the names of aesara, which is the same library at another time.
from aesara import *
from aesara import config, gradient, ifelse, printing, compile, graph, pp, clone_replace, clone, scalar
from aesara.scan import scan, map, reduce, foldl, foldr, until
from theano import tensor
