"""The stubs name what is there, with its arguments."""
import ast
import inspect
import pathlib

import pytest

import weft

FOLDER = pathlib.Path(weft.__file__).parent


def functions(tree):
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}


def test_public_functions_have_the_arguments_of_the_stubs():
    tree = ast.parse((FOLDER / "__init__.pyi").read_text())
    for name, f in functions(tree).items():
        wanted = [a.arg for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
        real = [p.name for p in inspect.signature(getattr(weft, name)).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        assert wanted == real, name


def test_classes_have_the_members_of_the_stubs():
    for file, module in (("__init__.pyi", weft), ("_weft.pyi", weft._weft)):
        for c in (n for n in ast.parse((FOLDER / file).read_text()).body if isinstance(n, ast.ClassDef)):
            assert inspect.isclass(getattr(module, c.name)), c.name
            for name in functions(c):
                if name not in ("__buffer__", "__getattr__", "__new__", "__init__"):
                    assert hasattr(getattr(module, c.name), name), f"{c.name}.{name}"


def test_what_is_public_is_in_the_stubs():
    text = (FOLDER / "__init__.pyi").read_text()
    tree = ast.parse(text)
    named = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))} | {
        a.asname or a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    public = {n for n, v in vars(weft).items() if not n.startswith("_") and not inspect.ismodule(v)}
    assert public <= named, public - named


def test_everything_public_says_what_it_is():
    for name, v in vars(weft).items():
        if not name.startswith("_") and (inspect.isfunction(v) or inspect.isclass(v)):
            assert inspect.getdoc(v), name


@pytest.mark.parametrize("name", ["Program", "Model"])
def test_methods_say_what_they_do(name):
    for n, v in vars(getattr(weft, name)).items():
        if inspect.isfunction(v) and not n.startswith("_"):
            assert v.__doc__, n
