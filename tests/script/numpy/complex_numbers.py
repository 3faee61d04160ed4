# Complex arrays: printing, parts, promotion, numpy.fft.
import numpy as np
a = np.array([1+2j, 3.5-1e-3j])
print(a, repr(a), a.dtype, a * 1j, a[0], abs(a), a.real, a.imag, a.conj(), np.angle(a), np.iscomplexobj(a))
print(np.exp(1j * np.pi), repr(a[1]), np.array(2j), repr(np.array([1j, np.nan, np.inf])), np.complex64(1), np.zeros(2, complex), np.fft.fft([1, 2, 3, 4]))
print(np.fft.fftfreq(4, 0.5), np.fft.irfft(np.fft.rfft([1.0, 2, 3])), np.fft.fftshift(np.arange(4)), (np.arange(2) * 1j).dtype, np.vdot(a, a), np.sort(a)[0], a.astype(np.complex64).dtype, np.abs(3 + 4j), isinstance(a[0], complex))
