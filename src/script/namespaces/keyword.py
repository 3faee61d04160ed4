# keyword -- words of the language.
kwlist = ["False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
          "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
          "pass", "raise", "return", "try", "while", "with", "yield"]
softkwlist = ["_", "case", "match"]
_words, _soft = frozenset(kwlist), frozenset(softkwlist)


def iskeyword(s):
    return s in _words


def issoftkeyword(s):
    return s in _soft
