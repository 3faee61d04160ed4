# xml.dom.minidom -- documents made node by node and written out; reading is not there.


def _escape(s):
    return s.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace(">", "&gt;")


class Text:
    def __init__(self, data):
        self.data = data

    def toxml(self):
        return _escape(self.data)


class Element:
    def __init__(self, name):
        self.tagName, self.childNodes, self._attrs = name, [], {}

    def appendChild(self, node):
        self.childNodes.append(node)
        return node

    def setAttribute(self, name, value):
        self._attrs[name] = value

    def getAttribute(self, name):
        return self._attrs.get(name, "")

    def toxml(self):
        head = "<" + self.tagName + "".join([f' {k}="{_escape(v)}"' for k, v in self._attrs.items()])
        if not self.childNodes:
            return head + "/>"
        return head + ">" + "".join([c.toxml() for c in self.childNodes]) + f"</{self.tagName}>"

    def _pretty(self, indent, newl, at):
        head = at + "<" + self.tagName + "".join([f' {k}="{_escape(v)}"' for k, v in self._attrs.items()])
        if not self.childNodes:
            return head + "/>" + newl
        if len(self.childNodes) == 1 and isinstance(self.childNodes[0], Text):
            return head + ">" + self.childNodes[0].toxml() + f"</{self.tagName}>" + newl
        inner = "".join([c._pretty(indent, newl, at + indent) if isinstance(c, Element) else at + indent + c.toxml() + newl for c in self.childNodes])
        return head + ">" + newl + inner + at + f"</{self.tagName}>" + newl


class Document(Element):
    def __init__(self):
        super().__init__("#document")

    def createElement(self, name):
        return Element(name)

    def createTextNode(self, data):
        return Text(data)

    def toxml(self):
        return '<?xml version="1.0" ?>' + "".join([c.toxml() for c in self.childNodes])

    def toprettyxml(self, indent="\t", newl="\n", encoding=None):
        s = '<?xml version="1.0"' + (f' encoding="{encoding}"' if encoding else "") + " ?>" + newl
        s += "".join([c._pretty(indent, newl, "") for c in self.childNodes])
        return s.encode(encoding) if encoding else s


def parseString(string):
    raise NotImplementedError("xml.dom.minidom.parseString")


def parse(file):
    raise NotImplementedError("xml.dom.minidom.parse")
