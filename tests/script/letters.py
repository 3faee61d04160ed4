"""Which characters are letters, and of which case."""
import collections

for text in ["ß", "ASSß", "ﬁ", "AﬁA", "İ", "Aİ", "aİ", "ŉa", "A1", "a1", "1", "", "Σ", "ς", "日本", "日本A", "Žž", "ǅ"]:
    print(repr(text), text.isupper(), text.islower(), text.isalpha(), text.istitle())
for c in ["😀", "a😀", "\ue000", "ｱ", "한", "、", "é", "\U00020000"]:
    print(ascii(c), c.isalpha(), c.isalnum())
try:
    collections.deque([-9, 3]).remove(1)
except ValueError as e:
    print(e)
