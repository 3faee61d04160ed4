where = __name__
