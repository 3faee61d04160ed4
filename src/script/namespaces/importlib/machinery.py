# importlib.machinery -- which files are modules, what is known of one before it is loaded, and who loads it.
SOURCE_SUFFIXES, BYTECODE_SUFFIXES, EXTENSION_SUFFIXES = [".py"], [".pyc"], []


def all_suffixes():
    return SOURCE_SUFFIXES + BYTECODE_SUFFIXES + EXTENSION_SUFFIXES


class ModuleSpec:
    def __init__(self, name, loader, *, origin=None, loader_state=None, is_package=None):
        self.name, self.loader, self.origin, self.loader_state = name, loader, origin, loader_state
        self.submodule_search_locations = [] if is_package else None
        self.has_location = False
        self.cached = None

    @property
    def parent(self):
        return self.name if self.submodule_search_locations is not None else self.name.rpartition(".")[0]

    def __repr__(self):
        parts = [f"name={self.name!r}", f"loader={self.loader!r}"]
        if self.origin is not None:
            parts.append(f"origin={self.origin!r}")
        if self.submodule_search_locations is not None:
            parts.append(f"submodule_search_locations={self.submodule_search_locations}")
        return f"ModuleSpec({', '.join(parts)})"

    def __eq__(self, other):
        return isinstance(other, ModuleSpec) and self.__dict__ == other.__dict__


class SourceFileLoader:
    def __init__(self, fullname, path):
        self.name, self.path = fullname, path

    def create_module(self, spec):
        return None

    def get_filename(self, name=None):
        return self.path

    def get_data(self, path):
        with open(path, "rb") as f:
            return f.read()

    def get_source(self, fullname=None):
        return self.get_data(self.path).decode("utf-8")

    def is_package(self, fullname=None):
        return self.path.rpartition("/")[2] == "__init__.py"

    def exec_module(self, module):
        exec(compile(self.get_source(), self.path, "exec"), module.__dict__)

    def load_module(self, fullname=None):
        from importlib import util
        module = util.module_from_spec(util.spec_from_file_location(fullname or self.name, self.path, loader=self))
        util._fill(module.__spec__, module)
        return module
