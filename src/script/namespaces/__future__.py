# __future__ -- all of it is here already.
annotations = division = print_function = absolute_import = unicode_literals = generators = nested_scopes = with_statement = True
