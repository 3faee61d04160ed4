# unicodedata -- of the tables of Unicode what follows from ranges; accents of Latin letters for normalize.
unidata_version = "14.0.0"
_WIDE = [(0x1100, 0x115F), (0x2E80, 0x303E), (0x3041, 0x33FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xAC00, 0xD7A3),
         (0xF900, 0xFAFF), (0xFE30, 0xFE6F), (0x1F300, 0x1F64F), (0x1F900, 0x1F9FF), (0x20000, 0x3FFFD)]
_FULL = [(0xFF01, 0xFF60), (0xFFE0, 0xFFE6)]
_MARKS = {"`": 0x300, "'": 0x301, "^": 0x302, "~": 0x303, '"': 0x308, "o": 0x30A, ",": 0x327, "v": 0x30C, "-": 0x304}
_LATIN = {}
for _base, _marked in {"A": "À` Á' Â^ Ã~ Ä\" Åo", "C": "Ç,", "E": "È` É' Ê^ Ë\"", "I": "Ì` Í' Î^ Ï\"", "N": "Ñ~", "O": "Ò` Ó' Ô^ Õ~ Ö\"",
                       "U": "Ù` Ú' Û^ Ü\"", "Y": "Ý'", "a": "à` á' â^ ã~ ä\" åo ā-", "c": "ç, čv", "e": "è` é' ê^ ë\" ěv ē-", "i": "ì` í' î^ ï\" ī-",
                       "n": "ñ~ ňv", "o": "ò` ó' ô^ õ~ ö\" ō-", "u": "ù` ú' û^ ü\" ů" + "o ū-", "y": "ý' ÿ\"", "s": "šv", "z": "žv", "r": "řv",
                       "S": "Šv", "Z": "Žv"}.items():
    for _m in _marked.split():
        _LATIN[_m[0]] = _base + chr(_MARKS[_m[1:]])
_JOINED = {v: k for k, v in _LATIN.items()}


def east_asian_width(c):
    n = ord(c)
    if any(a <= n <= b for a, b in _FULL):
        return "F"
    if any(a <= n <= b for a, b in _WIDE):
        return "W"
    return "Na" if 0x20 <= n < 0x7F else "N"


def combining(c):
    n = ord(c)
    return 230 if 0x300 <= n <= 0x314 or 0x33D <= n <= 0x344 else 202 if n == 0x327 else 220 if 0x316 <= n <= 0x333 else 0


def category(c):
    n = ord(c)
    if 0x300 <= n <= 0x36F:
        return "Mn"
    if n < 32 or 127 <= n < 160:
        return "Cc"
    if c.isalpha():
        return "Lu" if c.isupper() else "Ll" if c.islower() else "Lo"
    if c.isdigit():
        return "Nd"
    if c.isspace():
        return "Zs"
    return {"_": "Pc", "-": "Pd", "(": "Ps", "[": "Ps", "{": "Ps", ")": "Pe", "]": "Pe", "}": "Pe", "+": "Sm", "<": "Sm", "=": "Sm", ">": "Sm",
            "|": "Sm", "~": "Sm", "$": "Sc", "^": "Sk", "`": "Sk"}.get(c, "Po" if n < 128 else "So")


def normalize(form, s):
    if form not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise ValueError("invalid normalization form")
    if s.isascii():
        return s
    for c in s:
        if ord(c) > 0x17E and not 0x300 <= ord(c) <= 0x36F:
            raise NotImplementedError(f"unicodedata.normalize: {c!r}")
    d = "".join([_LATIN.get(c, c) for c in s])
    if form.endswith("D"):
        return d
    out = ""
    for c in d:
        out = out[:-1] + _JOINED[out[-1] + c] if out and out[-1] + c in _JOINED else out + c
    return out


def name(c, *default):
    if default:
        return default[0]
    raise NotImplementedError(f"unicodedata.name({c!r})")
