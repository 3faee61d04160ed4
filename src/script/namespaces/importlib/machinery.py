# importlib.machinery -- which files are modules.
SOURCE_SUFFIXES, BYTECODE_SUFFIXES, EXTENSION_SUFFIXES = [".py"], [".pyc"], []


def all_suffixes():
    return SOURCE_SUFFIXES + BYTECODE_SUFFIXES + EXTENSION_SUFFIXES
