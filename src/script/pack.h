/* pack.h -- code as bytes: how the namespaces stand in the program, so that to import one parses nothing.
 *
 * The build compiles every file of namespaces/ (tools/pack.c) and embeds its text and what sc_pack writes of its code.
 * An import reads that; a function's body is read when it is first called, an object when its code is read. Trees are
 * not in it: who asks for one (torch.jit.script of a library's function) gets the text compiled (sc_code_tree).
 *
 *   numbers   7 bits a byte, the lowest first, the top bit set but in the last; signed: zigzag
 *   unit      nobjects { kind, size, payload } code
 *   object    PACK_STR, PACK_BYTES: its bytes; PACK_INT: two's complement, lowest first; PACK_COMPLEX: two doubles;
 *             PACK_TUPLE: indices of objects
 *   code      head, size of the body, body
 *   head      flags name qualname doc+1 line index npos nkwonly nposonly ndefaults nkwdefaults nfree { free_from }
 *   body      nregs nlocals { parameter } { local+1 } nconsts { const } ncaches { name } nhandlers { from to pc reg }
 *             nins { ins } lines ncodes { code }
 *   const     PACK_NONE ..; PACK_SMALL number; PACK_FLOAT double; PACK_OBJ + index
 *   ins       op (bit 7: x is not 0), x if so, a unless its letter in opcodes.def is -, then b and c in the same way, or the
 *             jump (signed) where both are -
 *   lines     runs { instructions, how far the line moves (signed) }
 *
 * It is read as it was written, by the same build: a reader that trusts it.
 */
#ifndef WEFT_SCRIPT_PACK_H
#define WEFT_SCRIPT_PACK_H

#include "ast.h"

enum { PACK_STR, PACK_BYTES, PACK_INT, PACK_COMPLEX, PACK_TUPLE };
enum {
    PACK_NONE,
    PACK_FALSE,
    PACK_TRUE,
    PACK_ELLIPSIS,
    PACK_SMALL,
    PACK_FLOAT,
    PACK_OBJ
};
enum {
    PACK_FUNC = 1,
    PACK_CLASS = 2,
    PACK_GENERATOR = 4,
    PACK_STAR = 8,
    PACK_DSTAR = 16
};

/* pack.c: of a unit that was compiled of text. False: an exception is pending. */
bool sc_pack(Vm *vm, const Unit *u, Buf *out);

#endif
