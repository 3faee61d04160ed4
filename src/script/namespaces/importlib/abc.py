# importlib.abc -- names of what loads modules.
class Loader:
    pass


class InspectLoader(Loader):
    pass


class SourceLoader(InspectLoader):
    pass


class MetaPathFinder:
    pass
