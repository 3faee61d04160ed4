# gettext -- texts in other languages; there are no catalogues here, so each is its own translation.


def gettext(message):
    return message


def ngettext(singular, plural, n):
    return singular if n == 1 else plural


def pgettext(context, message):
    return message


def npgettext(context, singular, plural, n):
    return singular if n == 1 else plural


def dgettext(domain, message):
    return message


def dngettext(domain, singular, plural, n):
    return singular if n == 1 else plural


class NullTranslations:
    def gettext(self, message):
        return message

    def ngettext(self, singular, plural, n):
        return ngettext(singular, plural, n)

    def install(self, names=None):
        import builtins
        builtins._ = self.gettext


def translation(domain, localedir=None, languages=None, class_=None, fallback=False):
    if not fallback:
        raise FileNotFoundError(2, "No translation file found for domain", domain)
    return NullTranslations()
