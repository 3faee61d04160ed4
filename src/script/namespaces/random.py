# random -- distributions over the core of modules/random.c
import math as _math

_log = _math.log
_exp = _math.exp
_sqrt = _math.sqrt
_cos = _math.cos
_acos = _math.acos
_pi = _math.pi
_sin = _math.sin
_NV = 4 * _exp(-0.5) / _sqrt(2.0)
_LOG4 = _log(4.0)
_SG = 1.0 + _log(4.5)


class Random(_Core):
    def __init__(self, x=None):
        super().__init__()
        self.gauss_next = None
        self.seed(x)

    def seed(self, a=None, version=2):
        if version != 2 and isinstance(a, (str, bytes)):
            raise NotImplementedError("random.seed: texts are seeds as version 2 has them")
        self._seed(a)
        self.gauss_next = None

    def getstate(self):
        return (self._state(), self.gauss_next)

    def setstate(self, state):
        self._restore(state[0])
        self.gauss_next = state[1]

    def __setstate__(self, state):
        self.setstate(state)

    def __reduce__(self):
        return type(self), (), self.getstate()

    def getrandbits(self, k):
        if k < 64:
            return super().getrandbits(k)
        r = 0
        for i in range(0, k, 32):
            n = min(32, k - i)
            r |= super().getrandbits(32) >> 32 - n << i
        return r

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def _below(self, n):
        k = n.bit_length()
        r = self.getrandbits(k)
        while r >= n:
            r = self.getrandbits(k)
        return r

    def randrange(self, start, stop=None, step=1):
        if stop is None:
            if start <= 0:
                raise ValueError("empty range for randrange()")
            return self._below(start)
        width = stop - start
        if step == 1:
            if width <= 0:
                raise ValueError(f"empty range for randrange() ({start}, {stop}, {width})")
            return start + self._below(width)
        if step == 0:
            raise ValueError("zero step for randrange()")
        n = (width + step - 1) // step if step > 0 else (width + step + 1) // step
        if n <= 0:
            raise ValueError("empty range for randrange()")
        return start + step * self._below(n)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._below(len(seq))]

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        n = len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[_math.floor(self.random() * n)] for _ in range(k)]
            cum_weights = []
            total = 0
            for w in weights:
                total = total + w
                cum_weights.append(total)
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        out = []
        for _ in range(k):
            x = self.random() * total
            lo, hi = 0, n - 1
            while lo < hi:
                mid = (lo + hi) // 2
                if x < cum_weights[mid]:
                    hi = mid
                else:
                    lo = mid + 1
            out.append(population[lo])
        return out

    def shuffle(self, x):
        for i in reversed(range(1, len(x))):
            j = self._below(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        if counts is not None:
            population = [p for p, c in zip(population, counts) for _ in range(c)]
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        result = [None] * k
        setsize = 21
        if k > 5:
            setsize += 4 ** _math.ceil(_log(k * 3, 4))
        if n <= setsize:
            pool = list(population)
            for i in range(k):
                j = self._below(n - i)
                result[i] = pool[j]
                pool[j] = pool[n - i - 1]
        else:
            selected = set()
            for i in range(k):
                j = self._below(n)
                while j in selected:
                    j = self._below(n)
                selected.add(j)
                result[i] = population[j]
        return result

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        c = 0.5 if mode is None else (mode - low) / (high - low)
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        return low + (high - low) * _sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        while True:
            u1 = self.random()
            u2 = 1.0 - self.random()
            z = _NV * (u1 - 0.5) / u2
            if z * z / 4.0 <= -_log(u2):
                return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        z = self.gauss_next
        self.gauss_next = None
        if z is None:
            x = self.random() * (2.0 * _math.pi)
            g = _sqrt(-2.0 * _log(1.0 - self.random()))
            z = _cos(x) * g
            self.gauss_next = _sin(x) * g
        return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0):
        return _exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd=1.0):
        return -_log(1.0 - self.random()) / lambd

    def paretovariate(self, alpha):
        return (1.0 - self.random()) ** (-1.0 / alpha)

    def weibullvariate(self, alpha, beta):
        return alpha * (-_log(1.0 - self.random())) ** (1.0 / beta)

    def vonmisesvariate(self, mu, kappa):
        # Best and Fisher: angles around mu, by a wrapped Cauchy distribution that covers it.
        turn = 2.0 * _pi
        if kappa <= 1e-6:
            return turn * self.random()
        s = 0.5 / kappa
        r = s + _sqrt(1.0 + s * s)
        while True:
            z = _cos(_pi * self.random())
            d = z / (r + z)
            u = self.random()
            if u < 1.0 - d * d or u <= (1.0 - d) * _exp(d):
                break
        q = 1.0 / r
        angle = _acos((q + z) / (1.0 + q * z))
        return (mu + angle if self.random() > 0.5 else mu - angle) % turn

    def gammavariate(self, alpha, beta):
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        if alpha > 1.0:
            ainv = _sqrt(2.0 * alpha - 1.0)
            b = alpha - _LOG4
            c = alpha + ainv
            while True:
                u1 = self.random()
                if not 1e-7 < u1 < 0.9999999:
                    continue
                u2 = 1.0 - self.random()
                v = _log(u1 / (1.0 - u1)) / ainv
                x = alpha * _exp(v)
                z = u1 * u1 * u2
                r = b + c * v - x
                if r + _SG - 4.5 * z >= 0.0 or r >= _log(z):
                    return x * beta
        if alpha == 1.0:
            return -_log(1.0 - self.random()) * beta
        while True:
            b = (_math.e + alpha) / _math.e
            p = b * self.random()
            x = p ** (1.0 / alpha) if p <= 1.0 else -_log((b - p) / alpha)
            u1 = self.random()
            if p > 1.0:
                if u1 <= x ** (alpha - 1.0):
                    break
            elif u1 <= _exp(-x):
                break
        return x * beta

    def betavariate(self, alpha, beta):
        y = self.gammavariate(alpha, 1.0)
        if y:
            return y / (y + self.gammavariate(beta, 1.0))
        return 0.0


_shared = Random()
seed = _shared.seed
random = _shared.random
getrandbits = _shared.getrandbits
randbytes = _shared.randbytes
randrange = _shared.randrange
randint = _shared.randint
choice = _shared.choice
choices = _shared.choices
shuffle = _shared.shuffle
sample = _shared.sample
uniform = _shared.uniform
triangular = _shared.triangular
normalvariate = _shared.normalvariate
gauss = _shared.gauss
lognormvariate = _shared.lognormvariate
expovariate = _shared.expovariate
gammavariate = _shared.gammavariate
vonmisesvariate = _shared.vonmisesvariate
paretovariate = _shared.paretovariate
weibullvariate = _shared.weibullvariate
betavariate = _shared.betavariate
getstate = _shared.getstate
setstate = _shared.setstate
