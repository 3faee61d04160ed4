# ast.parse of expressions, asyncio that is imported and not used.
import ast, asyncio

def shown(n):
    if isinstance(n, ast.AST):
        return type(n).__name__ + "(" + ", ".join(shown(getattr(n, f)) for f in n._fields if f not in ("ctx", "kind") and hasattr(n, f)) + ")"
    if isinstance(n, list):
        return "[" + ", ".join(map(shown, n)) + "]"
    return repr(n)

for text in ("a.b['c'][1:2][::x]", "(1, -2.5, 'x', None, True)", "{'k': [1, {2}], 3: ...}", "f(a, *b, k=1) + ~c ** 2", "x[1, 2]", "()", "(1,)"):
    print(shown(ast.parse(text, mode="eval")))
for text in ("(1, -2.5, 'x', None)", "{'k': [1, {2}]}", "1+2j", "-3"):
    print(ast.literal_eval(ast.parse(text, mode="eval")), ast.literal_eval(text))
try:
    ast.parse("a b", mode="eval")
except SyntaxError:
    print("SyntaxError")
try:
    ast.literal_eval(ast.parse("f(1)", mode="eval"))
except ValueError:
    print("ValueError")
