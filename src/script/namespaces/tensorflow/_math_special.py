# tensorflow.math.special
import _bessel
import _special
import _tf as _w
from tensorflow._ops import _unary
from tensorflow._specials import _real, bessel_i0, bessel_i0e, bessel_i1, bessel_i1e


def _shared(name, of):
    return _unary(name, lambda x: of(_real(x)))


bessel_j0, bessel_j1 = [_shared(f"BesselJ{k}", lambda x, k=k: _bessel.bessel_j(_w, x, k)) for k in (0, 1)]
bessel_y0, bessel_y1 = [_shared(f"BesselY{k}", lambda x, k=k: _bessel.bessel_y(_w, x, k)) for k in (0, 1)]
bessel_k0, bessel_k1 = [_shared(f"BesselK{k}", lambda x, k=k: _bessel.bessel_k(_w, x, k)) for k in (0, 1)]
bessel_k0e, bessel_k1e = [_shared(f"BesselK{k}e", lambda x, k=k: _bessel.bessel_k(_w, x, k, True)) for k in (0, 1)]
fresnel_sin, fresnel_cos = [_shared(f"Fresnel{name}", lambda x, k=k: _special.fresnel(_w, x)[k]) for k, name in enumerate(("Sin", "Cos"))]
dawsn, expint, spence = [_shared(name, lambda x, of=of: of(_w, x)) for name, of in (("Dawsn", _special.dawsn), ("Expint", _special.expi),
                                                                                    ("Spence", _special.spence))]
