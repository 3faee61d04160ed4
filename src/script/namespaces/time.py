# time -- what of it is written in the language itself; the rest is modules/time.c
_time = time

class struct_time(tuple):
    tm_year = property(lambda s: s[0])
    tm_mon = property(lambda s: s[1])
    tm_mday = property(lambda s: s[2])
    tm_hour = property(lambda s: s[3])
    tm_min = property(lambda s: s[4])
    tm_sec = property(lambda s: s[5])
    tm_wday = property(lambda s: s[6])
    tm_yday = property(lambda s: s[7])
    tm_isdst = property(lambda s: s[8])
    tm_gmtoff = None
    def __repr__(self):
        names = ['year', 'mon', 'mday', 'hour', 'min', 'sec', 'wday', 'yday', 'isdst']
        return 'time.struct_time(' + ', '.join(f'tm_{n}={v}' for n, v in zip(names, self)) + ')'

def _struct(t):
    r = struct_time(t[:9])
    r.tm_gmtoff = t[9]
    return r

def localtime(secs=None):
    return _struct(_localtime(_time() if secs is None else secs))

def gmtime(secs=None):
    return _struct(_gmtime(_time() if secs is None else secs))

def mktime(t):
    return _mktime(tuple(t))

def strftime(format, t=None):
    return _strftime(format, tuple(localtime() if t is None else t))

def asctime(t=None):
    return strftime('%a %b %d %H:%M:%S %Y', t).replace(' 0', '  ', 1) if (localtime() if t is None else t)[2] < 10 else strftime('%a %b %d %H:%M:%S %Y', t)

def ctime(secs=None):
    return asctime(localtime(secs))

def strptime(string, format='%a %b %d %H:%M:%S %Y'):
    import datetime
    return datetime.datetime.strptime(string, format).timetuple()

timezone = -_localtime(0)[9]
tzname = (_strftime('%Z', (1970, 1, 1, 0, 0, 0, 3, 1, 0)),) * 2
daylight, altzone = 0, timezone
CLOCK_REALTIME, CLOCK_MONOTONIC = 0, 1
thread_time = process_time
