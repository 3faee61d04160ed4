# importlib.abc -- what finders and loaders of modules derive from.
class Loader:
    def create_module(self, spec):
        return None

    def load_module(self, fullname):
        raise ImportError


class InspectLoader(Loader):
    pass


class ExecutionLoader(InspectLoader):
    pass


class SourceLoader(ExecutionLoader):
    pass


class FileLoader(SourceLoader):
    pass


class MetaPathFinder:
    def invalidate_caches(self):
        pass


class PathEntryFinder(MetaPathFinder):
    pass
