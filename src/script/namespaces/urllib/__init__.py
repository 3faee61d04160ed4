# urllib -- addresses, and the files that file: URLs name.
