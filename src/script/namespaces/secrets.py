# secrets -- random numbers of the system.
import base64 as _base64
import os as _os

DEFAULT_ENTROPY = 32


def token_bytes(nbytes=None):
    return _os.urandom(DEFAULT_ENTROPY if nbytes is None else nbytes)


def token_hex(nbytes=None):
    return token_bytes(nbytes).hex()


def token_urlsafe(nbytes=None):
    return _base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode("ascii")


def randbits(k):
    return int.from_bytes(_os.urandom((k + 7) // 8), "big") >> (-k % 8)


def randbelow(exclusive_upper_bound):
    if exclusive_upper_bound <= 0:
        raise ValueError("Upper bound must be positive.")
    k = exclusive_upper_bound.bit_length()
    while True:
        r = randbits(k)
        if r < exclusive_upper_bound:
            return r


def choice(seq):
    if not seq:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[randbelow(len(seq))]


def compare_digest(a, b):
    return a == b
