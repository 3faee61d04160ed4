"""Write src/io/gguf_books.h: the code books of GGUF's types of 1 to 3 bits, which are published as numbers, from ggml's package gguf.

    gen_gguf_books.py > src/io/gguf_books.h

A row of a book is 16 bits: of 8 entries 2 bits each, of 4 entries 4 bits each, the first entry lowest; an entry is a number among
the few that a type has."""
import numpy as np
from gguf import quants

print("""/* gguf_books.h -- written by tools/gen_gguf_books.py: rows of the code books of GGUF's types, an entry each 2 bits of 8, or 4 of 4. */
#ifndef WEFT_IO_GGUF_BOOKS_H
#define WEFT_IO_GGUF_BOOKS_H

#include <stdint.h>
""")
for name in "IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S IQ1_S".split():
    t = getattr(quants, name)
    t.init_grid()
    rows = np.asarray(t.grid).reshape(t.grid_shape)
    bits = 2 if rows.shape[1] == 8 else 4
    codes = [sum(list(t.grid_map).index(int(v)) << bits * i for i, v in enumerate(row)) for row in rows]
    print("static const uint16_t book_%s[%d] = {" % (name.lower(), len(codes)))
    for i in range(0, len(codes), 16):
        print("    " + ", ".join("0x%04x" % c for c in codes[i:i + 16]) + ",")
    print("};\n")
print("#endif")
