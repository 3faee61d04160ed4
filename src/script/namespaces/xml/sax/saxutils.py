# xml.sax.saxutils -- text as it stands in documents.


def _put(text, entities):
    for a, b in entities.items():
        text = text.replace(a, b)
    return text


def escape(data, entities={}):
    data = data.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")
    return _put(data, entities)


def unescape(data, entities={}):
    return _put(data.replace("&lt;", "<").replace("&gt;", ">"), entities).replace("&amp;", "&")


def quoteattr(data, entities={}):
    data = escape(data, {**entities, "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
    if '"' not in data:
        return f'"{data}"'
    return f"'{data}'" if "'" not in data else '"%s"' % data.replace('"', "&quot;")
