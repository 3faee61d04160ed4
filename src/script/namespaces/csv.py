# csv -- tables of text.

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = 0, 1, 2, 3


class Error(Exception):
    pass


class Dialect:
    delimiter, quotechar, escapechar, doublequote = ",", '"', None, True
    skipinitialspace, lineterminator, quoting, strict = False, "\r\n", 0, False


class excel(Dialect):
    pass


class excel_tab(excel):
    delimiter = "\t"


class unix_dialect(Dialect):
    lineterminator, quoting = "\n", QUOTE_ALL


_dialects = {"excel": excel, "excel-tab": excel_tab, "unix": unix_dialect}


def register_dialect(name, dialect=None, **fmt):
    _dialects[name] = _make(dialect, fmt)


def get_dialect(name):
    return _dialects[name]


def list_dialects():
    return list(_dialects)


def _make(dialect, fmt):
    d = Dialect()
    base = _dialects[dialect] if isinstance(dialect, str) else dialect
    for k in ("delimiter", "quotechar", "escapechar", "doublequote", "skipinitialspace", "lineterminator", "quoting", "strict"):
        setattr(d, k, fmt.pop(k) if k in fmt else getattr(base, k) if base is not None else getattr(Dialect, k))
    if fmt:
        raise TypeError(f"{next(iter(fmt))!r} is an invalid keyword argument for this function")
    return d


class reader:
    def __init__(self, csvfile, dialect="excel", **fmt):
        self.dialect, self._lines, self.line_num = _make(dialect, fmt), iter(csvfile), 0

    def __iter__(self):
        return self

    def __next__(self):
        d = self.dialect
        row, field, quoted, in_quotes, first = [], "", False, False, True
        while True:
            try:
                line = next(self._lines)
            except StopIteration:
                if in_quotes or not first:
                    break
                raise
            self.line_num += 1
            first = False
            i, n = 0, len(line)
            while i < n:
                c = line[i]
                i += 1
                if in_quotes:
                    if c == d.escapechar and i < n:
                        field += line[i]
                        i += 1
                    elif c == d.quotechar:
                        if d.doublequote and i < n and line[i] == d.quotechar:
                            field += c
                            i += 1
                        else:
                            in_quotes = False
                    else:
                        field += c
                elif c == d.delimiter:
                    row.append(self._field(field, quoted))
                    field, quoted = "", False
                elif c == d.quotechar and d.quoting != QUOTE_NONE and not field and not quoted:
                    in_quotes = quoted = True
                elif c == d.escapechar and i < n:
                    field += line[i]
                    i += 1
                elif c in "\r\n":
                    break
                elif c == " " and d.skipinitialspace and not field and not quoted:
                    continue
                else:
                    field += c
            if not in_quotes:
                break
        if field or quoted or row:
            row.append(self._field(field, quoted))
        return row

    def _field(self, s, quoted):
        return float(s) if self.dialect.quoting == QUOTE_NONNUMERIC and not quoted and s else s


class writer:
    def __init__(self, csvfile, dialect="excel", **fmt):
        self._file, self.dialect = csvfile, _make(dialect, fmt)

    def _quote(self, v):
        d = self.dialect
        s = "" if v is None else repr(v) if isinstance(v, float) else str(v)
        special = any(c in s for c in (d.delimiter, d.quotechar or "", "\r", "\n") if c)
        if d.quoting == QUOTE_NONE:
            if special:
                if d.escapechar is None:
                    raise Error("need to escape, but no escapechar set")
                s = "".join(d.escapechar + c if c in (d.delimiter, d.quotechar, d.escapechar) else c for c in s)
            return s
        if special or d.quoting == QUOTE_ALL or d.quoting == QUOTE_NONNUMERIC and not isinstance(v, (int, float)):
            s = s.replace(d.quotechar, d.quotechar * 2 if d.doublequote else (d.escapechar or "") + d.quotechar)
            return d.quotechar + s + d.quotechar
        return s

    def writerow(self, row):
        row = list(row)
        line = self.dialect.delimiter.join([self._quote(v) for v in row])
        if len(row) == 1 and line == "":
            line = self.dialect.quotechar * 2
        return self._file.write(line + self.dialect.lineterminator)

    def writerows(self, rows):
        for r in rows:
            self.writerow(r)


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", **kwargs):
        self.reader, self._names, self.restkey, self.restval = reader(f, dialect, **kwargs), fieldnames, restkey, restval

    @property
    def fieldnames(self):
        if self._names is None:
            self._names = next(self.reader, None)
        return self._names

    @property
    def line_num(self):
        return self.reader.line_num

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while row == []:
            row = next(self.reader)
        d = dict(zip(names, row))
        if len(row) > len(names):
            d[self.restkey] = row[len(names):]
        for n in names[len(row):]:
            d[n] = self.restval
        return d


class DictWriter:
    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", **kwargs):
        self.fieldnames, self.restval, self.extrasaction, self.writer = fieldnames, restval, extrasaction, writer(f, dialect, **kwargs)

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, row):
        if self.extrasaction == "raise":
            wrong = [k for k in row if k not in self.fieldnames]
            if wrong:
                raise ValueError("dict contains fields not in fieldnames: " + ", ".join(repr(k) for k in wrong))
        return self.writer.writerow([row.get(k, self.restval) for k in self.fieldnames])

    def writerows(self, rows):
        for r in rows:
            self.writerow(r)
