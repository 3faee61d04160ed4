/* vm_loop.h -- the words in which the loop of vm.c is written; only it includes this.
 *
 * i is the instruction being carried out, pc the one after it, r the registers of the frame fr,
 * v and w scratch. A register from nlocals on is a temporary: whoever reads it empties it.
 */
#define NEXT goto *labels[(i = *pc++).op]
#define R(n) r[n]
#define RAISE goto raised
/* Empty a register that was read, if it is temporary and not the target. */
/* Is the cache's name still in the entry of d where it was last found? */
static inline bool cache_own(const Cache *c, const Dict *d)
{
    return d && c->hint < d->n && d->e[c->hint].key.o == (Obj *)c->name && d->e[c->hint].key.tag == T_OBJ;
}

#define SPENT(n, dst)                                                                    \
    do {                                                                                 \
        if ((n) >= nlocals && (n) != (dst)) {                                            \
            Value spent_ = r[n];                                                         \
            r[n].tag = T_NIL;                                                            \
            sc_drop(vm, spent_);                                                         \
        }                                                                                \
    } while (0)
#define SET(n, value)                                                                    \
    do {                                                                                 \
        Value set_ = (value), old_ = r[n];                                               \
        r[n] = set_;                                                                     \
        sc_drop(vm, old_);                                                               \
    } while (0)
/* Take the value out of a temporary, or another count of a local. */
#define TAKE(n, out)                                                                     \
    do {                                                                                 \
        (out) = r[n];                                                                    \
        if ((n) >= nlocals)                                                              \
            r[n].tag = T_NIL;                                                            \
        else                                                                             \
            sc_ref(out);                                                                 \
    } while (0)
/* A call that may ask for its line. */
#define HERE(call) (fr->pc = pc, (call))
#define LOAD_FRAME()                                                                     \
    do {                                                                                 \
        vm->frame = fr;                                                                  \
        code = fr->code;                                                                 \
        pc = fr->pc;                                                                     \
        r = fr->regs;                                                                    \
        nlocals = code->nlocals;                                                         \
    } while (0)
#define JUMP_WORD() (pc += pc->jump + 1)
/* The result of the instruction; NIL: an exception. */
#define GIVE(value)                                                                      \
    do {                                                                                 \
        v = (value);                                                                     \
        if (v.tag == T_NIL)                                                              \
            RAISE;                                                                       \
        SET(i.a, v);                                                                     \
        NEXT;                                                                            \
    } while (0)

#define JTRUTH(NAME, WHEN, AFTER)                                                        \
    NAME:                                                                                \
    t = sc_truth(vm, R(i.a));                                                            \
    if (t < 0)                                                                           \
        RAISE;                                                                           \
    AFTER;                                                                               \
    if (WHEN)                                                                            \
        pc += i.jump;                                                                    \
    NEXT;

#define ARITH(NAME, OP, INT, FLOAT)                                                      \
    NAME:                                                                                \
    {                                                                                    \
        Value a_ = R(i.b), b_ = R(i.c);                                                  \
        if (a_.tag == T_INT && b_.tag == T_INT) {                                        \
            int64_t x_ = a_.i, y_ = b_.i, z_;                                            \
            (void)x_;                                                                    \
            (void)y_;                                                                    \
            if (INT) {                                                                   \
                if (UNLIKELY(R(i.a).tag == T_OBJ))                                       \
                    sc_drop(vm, R(i.a));                                                 \
                R(i.a) = v_int(z_);                                                      \
                NEXT;                                                                    \
            }                                                                            \
        } else if (a_.tag == T_FLOAT && b_.tag == T_FLOAT) {                             \
            double x_ = a_.f, y_ = b_.f, z_;                                             \
            if (FLOAT) {                                                                 \
                if (UNLIKELY(R(i.a).tag == T_OBJ))                                       \
                    sc_drop(vm, R(i.a));                                                 \
                R(i.a) = v_float(z_);                                                    \
                NEXT;                                                                    \
            }                                                                            \
        }                                                                                \
        op2 = OP;                                                                        \
        goto binary_slow;                                                                \
    }

#define JCOMPARE(NAME, OP, SYM)                                                          \
    NAME:                                                                                \
    {                                                                                    \
        Value a_ = R(i.a), b_ = R(i.b);                                                  \
        bool t_;                                                                         \
        if (a_.tag == T_INT && b_.tag == T_INT)                                          \
            t_ = a_.i SYM b_.i;                                                          \
        else if (a_.tag == T_FLOAT && b_.tag == T_FLOAT)                                 \
            t_ = a_.f SYM b_.f;                                                          \
        else                                                                             \
            goto compare_slow;                                                           \
        if (t_ == (bool)i.c)                                                             \
            JUMP_WORD();                                                                 \
        else                                                                             \
            pc++;                                                                        \
        NEXT;                                                                            \
    }

#define JCOMPAREI(NAME, SYM)                                                             \
    NAME:                                                                                \
    {                                                                                    \
        Value a_ = R(i.a);                                                               \
        bool t_;                                                                         \
        if (a_.tag == T_INT)                                                             \
            t_ = a_.i SYM(int16_t) i.b;                                                  \
        else if (a_.tag == T_FLOAT)                                                      \
            t_ = a_.f SYM(double)(int16_t) i.b;                                          \
        else                                                                             \
            goto compare_imm_slow;                                                       \
        if (t_ == (bool)i.c)                                                             \
            JUMP_WORD();                                                                 \
        else                                                                             \
            pc++;                                                                        \
        NEXT;                                                                            \
    }
