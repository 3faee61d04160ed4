# numbers -- the abstract classes of numbers.
from abc import ABC


class Number(ABC):
    pass


class Complex(Number):
    pass


class Real(Complex):
    pass


class Rational(Real):
    pass


class Integral(Rational):
    pass


Complex.register(complex)
Real.register(float)
Integral.register(int)
