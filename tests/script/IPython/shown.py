# What notebooks that were made files use of IPython: without a notebook it prints.
import IPython
from IPython import display
from IPython.display import HTML, JSON, Code, Image, Javascript, Latex, Markdown, Math, clear_output
from IPython.display import display as show

print(IPython.get_ipython())
display.clear_output(wait=True)
clear_output()
print()
show(1, "a", [1, 2], {"a": 1})
h = HTML("<b>x</b>")
show(h)
print(h.data, h._repr_html_(), repr(Markdown("# a")), Math("$x$")._repr_latex_(), Latex("$y$")._repr_latex_())
print(show("x"), show("x", display_id="me"))
print(repr(JSON('{"a": 1}')), JSON({"a": 1}).data, repr(Code("x=1")), repr(Javascript("1")))
print(repr(Image(data=b"\x89PNG\r\n\x1a\n")), Image("picture.png", embed=False).format)
display.display_markdown("# a", h)
try:
    HTML(3)
except TypeError as e:
    print("TypeError")
try:
    display.Audio([0.0, 1.0])
except ValueError as e:
    print(e)
