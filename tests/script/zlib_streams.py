# Streams of every block kind, cut short at every byte, and limits on what comes out.
import gzip
import zlib

texts = [b"", b"a", bytes(range(256)) * 3, b"hello world, hello there " * 500]
for text in texts:
    z = zlib.compress(text)
    print(len(text), zlib.decompress(z) == text, gzip.decompress(gzip.compress(text)) == text)

stored = b"\x78\x01\x01\x03\x00\xfc\xffabc\x02\x4d\x01\x27"
print(zlib.decompress(stored))
z = zlib.compress(texts[3])
wrong = 0
for n in range(len(z) - 4):
    try:
        zlib.decompress(z[:n])
    except zlib.error:
        wrong += 1
print(wrong == len(z) - 4)
