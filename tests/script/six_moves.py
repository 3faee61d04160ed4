# six.moves as packages and as attributes
import pickle, queue
import six
import six.moves.cPickle as p1
from six.moves import cPickle as p2, range, zip, urllib, queue as q, reduce, xrange, zip_longest, StringIO
from six.moves.urllib.request import urlopen
from six.moves.urllib.parse import urlparse
print(p1 is pickle, p2 is pickle, q is queue, list(range(2)), reduce(lambda a, b: a + b, [1, 2, 3]))
print(urlparse("http://a.b/c?d=1").path, urllib.parse.quote("a b"), list(zip_longest([1], [2, 3])))
print(six.moves.input is input, list(six.moves.xrange(3)), StringIO("x").read())
try:
    from six.moves import tkinter_nothing
except ImportError as e:
    print("ImportError")
