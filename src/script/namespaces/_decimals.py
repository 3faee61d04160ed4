# _decimals -- of decimal: numbers from and to texts, floats and tuples, and the series of exp and ln.


def _decimal():
    return __import__("decimal")        # which needs this first


def _parsed(text):
    # (sign, digits, exponent), or None
    s = text.strip().replace("_", "")
    sign = 0
    if s[:1] in ("+", "-"):
        sign, s = (1 if s[0] == "-" else 0), s[1:]
    low = s.lower()
    if low in ("inf", "infinity"):
        return sign, 0, "F"
    for word, kind in (("snan", "N"), ("nan", "n")):
        if low.startswith(word):
            rest = s[len(word):]
            return (sign, int(rest or "0"), kind) if rest == "" or rest.isdigit() else None
    body, _, power = low.partition("e")
    if "e" in low:
        tail = power[1:] if power[:1] in ("+", "-") else power
        if not tail.isdigit():
            return None
    whole, _, part = body.partition(".")
    digits = whole + part
    if not digits.isdigit():
        return None
    return sign, int(digits), (int(power) if power else 0) - len(part)


def _of_float(f):
    if f != f:
        return 0, 0, "n"
    if f in (float("inf"), float("-inf")):
        return (1 if f < 0 else 0), 0, "F"
    from math import copysign
    sign = 1 if copysign(1.0, f) < 0 else 0
    n, d = abs(f).as_integer_ratio()
    k = d.bit_length() - 1
    return sign, n * 5 ** k, -k


def _of_tuple(value):
    if len(value) != 3:
        raise ValueError("argument must be a sequence of length 3")
    sign, digits, e = value
    if sign not in (0, 1):
        raise ValueError("sign must be an integer with the value 0 or 1")
    n = 0
    for d in digits:
        if not isinstance(d, int) or not 0 <= d <= 9:
            raise ValueError("coefficient must be a tuple of digits")
        n = 10 * n + d
    if isinstance(e, str) and e not in ("F", "n", "N"):
        raise ValueError("string argument in the third position must be 'F', 'n' or 'N'")
    return sign, (0 if e == "F" else n), e


# ---- series: numbers are integers, of which unit is 1

def _scaled(x, places):
    n = x._int * 10 ** (x._exp + places) if x._exp + places >= 0 else x._int // 10 ** -(x._exp + places)
    return -n if x._sign else n


def _exp_series(x, unit):
    # halved until it is small, then squared as often
    halvings = max(0, x.bit_length() - unit.bit_length() + 8)
    guard = 1 << (2 * halvings + 8)
    u = unit * guard
    t = (x * guard) >> halvings
    total = term = u
    k = 1
    while term:
        term = term * t // u // k
        total += term
        k += 1
    for _ in range(halvings):
        total = total * total // u
    return total // guard


_logs = {}


def _atanh_inverse(n, unit):
    # atanh(1/n)
    term = unit // n
    total, square, k = term, n * n, 3
    while term:
        term //= square
        total += term // k
        k += 2
    return total


def _ln_of(n, places):
    if (n, places) not in _logs:
        unit = 10 ** (places + 8)
        two = 2 * _atanh_inverse(3, unit)
        value = two if n == 2 else 3 * two + 2 * _atanh_inverse(9, unit)    # 10 = 2**3 * 5/4
        _logs[(n, places)] = value // 10 ** 8
    return _logs[(n, places)]


def _ln_scaled(x, places):
    # ln(m * 10**e) with m between 0.5 and 5, by Newton's steps on exp
    more = places + 6
    unit = 10 ** more
    e = x.adjusted()
    m = _decimal()._made(0, x._int, x._exp - e)
    if m > 5:
        m, e = _decimal()._made(0, x._int, x._exp - e - 1), e + 1
    m = _scaled(m, more)
    from math import log
    y = int(log(m / unit) * (1 << 50)) * unit >> 50
    for _ in range(more.bit_length() + 1):
        ey = _exp_series(y, unit) if y >= 0 else unit * unit // _exp_series(-y, unit)
        step = 2 * unit * (m - ey) // (m + ey)
        y += step
        if abs(step) < 1 << 4:
            break
    return (y + e * _ln_of(10, more)) // 10 ** 6


# ---- format()

def _formatted(x, spec):
    from re import match
    m = match(r"(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([eEfFgGn%])?$", spec)
    if not m:
        raise ValueError("invalid format string")
    fill, align, sign, _, _, zero, width, sep, places, kind = m.groups()
    if zero and align:
        raise ValueError("invalid format string")
    if zero:
        fill, align = "0", "="
    neg = x._sign == 1
    if not x.is_finite():
        body = str(x.copy_abs()) + ("%" if kind == "%" else "")
        if zero:
            fill, align = " ", ">"
    else:
        body = _digits(x, kind, None if places is None else int(places), sep)
        if kind == "%":
            body += "%"
    lead = "-" if neg else sign if sign in ("+", " ") else ""
    size = int(width or 0)
    if zero and sep and x.is_finite():
        n = 0
        while n < len(body) and (body[n].isdigit() or body[n] == sep):
            n += 1
        whole, rest = body[:n], body[n:]
        plain = whole.replace(sep, "")
        while len(lead + whole + rest) < size:
            plain = "0" + plain
            whole = _grouped(plain, sep)
        body = whole + rest
    room = size - len(lead) - len(body)
    fill = fill or " "
    if room <= 0:
        return lead + body
    if align == "=":
        return lead + fill * room + body
    if align == "<":
        return lead + body + fill * room
    if align == "^":
        return fill * (room // 2) + lead + body + fill * (room - room // 2)
    return fill * room + lead + body


def _grouped(digits, sep):
    out = []
    while len(digits) > 3:
        out.insert(0, digits[-3:])
        digits = digits[:-3]
    return sep.join([digits] + out)


def _digits(x, kind, places, sep):
    how = _decimal().getcontext().rounding
    y = x.copy_abs()
    if kind == "%":
        y = _decimal()._made(0, y._int, y._exp + 2)
    if kind in ("f", "F", "%"):
        if places is not None or y._exp > 0:
            y = y._rescaled(-(places or 0), how)
    elif kind in ("e", "E"):
        if places is not None and y._int:
            y = y._rescaled(y.adjusted() - places, how)
            if len(str(y._int)) > places + 1:
                y = _decimal()._made(0, y._int // 10, y._exp + 1)
    elif places is not None and y._int and len(str(y._int)) > max(places, 1):
        y = y._rescaled(y.adjusted() - max(places, 1) + 1, how)
        if len(str(y._int)) > max(places, 1):
            y = _decimal()._made(0, y._int // 10, y._exp + 1)
    text = str(y._int)
    left = y._exp + len(text)
    if kind in ("e", "E"):
        if not y._int and places is not None:
            text = "0" * (places + 1)
            left = y._exp + 1 + places
        at = 1
    elif kind in ("f", "F", "%"):
        at = left
    else:
        at = left if y._exp <= 0 and left > -6 else 1
    if at <= 0:
        whole, part = "0", "0" * -at + text
    elif at > len(text):
        whole, part = text + "0" * (at - len(text)), ""
    else:
        whole, part = text[:at] or "0", text[at:]
    if sep:
        whole = _grouped(whole, sep)
    power = left - at
    mark = kind if kind in ("e", "E") else "e" if kind == "g" else "E"
    tail = f"{mark}{power:+d}" if power != 0 or kind in ("e", "E") else ""
    return whole + ("." + part if part else "") + tail
