# Dates and addresses of mail, and what lies in packages, as CPython has them.
import datetime
from email import utils
from email.utils import formataddr, parseaddr, parsedate_to_datetime

for text in ("Wed, 21 Oct 2015 07:28:00 GMT", "21 Oct 2015 07:28 +0530", "Thu, 1 Jan 1970 00:00:00 -0000", "Mon, 5 January 99 1:02:03 EST",
             "5-Feb-68 23:59:59 -0130", "Tue, 29 Feb 2028 12:00:00"):
    print(utils.parsedate_tz(text), utils.parsedate(text), repr(parsedate_to_datetime(text)))
for text in ("yesterday", "", "32 Foo 2000 10:00:00"):
    print(utils.parsedate_tz(text))
    try:
        parsedate_to_datetime(text)
    except ValueError as e:
        print(e)
print(utils.formatdate(0), utils.formatdate(1e9, usegmt=True))
z = datetime.timezone(datetime.timedelta(hours=-3, minutes=-30))
print(utils.format_datetime(datetime.datetime(2024, 2, 3, 4, 5, 6)), utils.format_datetime(datetime.datetime(2024, 2, 3, 4, 5, 6, tzinfo=z)),
      utils.format_datetime(datetime.datetime(2024, 2, 3, tzinfo=datetime.timezone.utc), usegmt=True))
print(utils.mktime_tz(utils.parsedate_tz("21 Oct 2015 07:28 +0530")))
for pair in (("", "a@b.c"), ("A B", "a@b.c"), ("A. B, C", "a@b.c"), ('A "x" B', "a@b.c")):
    print(formataddr(pair), parseaddr(formataddr(pair)))
zone, hours = datetime.timezone, datetime.timedelta
print(zone(hours(0)) is zone.utc, repr(zone(hours(0))), repr(zone(hours(0), "Z")), repr(zone(hours(hours=2), "X")), zone(hours(hours=2), "X") == zone(hours(hours=2)))
for bad in ((3,), (hours(1),), (hours(-1),), (hours(0), 4)):
    try:
        zone(*bad)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
import copy, pickle
for z in (zone.utc, zone(hours(hours=3)), zone(hours(hours=3), "N")):
    print(repr(pickle.loads(pickle.dumps(z))), repr(copy.deepcopy(z)))
