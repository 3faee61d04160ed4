/* fuse.h -- what the parts of fusion share: the groups so far, and what goes along with one (fuse.c). */
#ifndef WEFT_CODEGEN_FUSE_H
#define WEFT_CODEGEN_FUSE_H

#include "codegen/codegen.h"

#define NO_GROUP UINT32_MAX

typedef struct FuseGroup {
    uint32_t *v, n; /* member equations, in order; n 0: joined another */
    uint32_t segment;
    uint32_t product;  /* the member that is one; NO_GROUP: none */
    bool keeps;        /* the product's result is one of the group's, whoever reads it */
} FuseGroup;

typedef struct Fuser {
    wf_ctx *cx;
    const Target *target;
    const Program *p;
    Arena *a;
    uint8_t *kind;     /* FuseKind of each equation */
    uint32_t *group;   /* of each equation; NO_GROUP */
    uint32_t *segment; /* of each equation: what defines symbols or speaks is a border */
    uint32_t *user_at, *users; /* equations that read value v: users[user_at[v] ..] */
    bool *is_out;              /* values that are results of the program */
    bool *again;               /* equations that every group which reads them computes */
    VEC(FuseGroup) groups;
    uint32_t least;         /* members of a group that is made a kernel */
    uint32_t *mark, *gmark; /* visited by the walk of this number */
    uint32_t walk;
    uint32_t *copy_mark, copy_walk; /* likewise, of another walk */
    bool any_again;
} Fuser;

static inline const Val *reads(const Fuser *f, uint32_t e, uint32_t *n)
{
    *n = f->p->eqns[e].nin;
    return eqn_in(f->p, &f->p->eqns[e]);
}

static inline uint32_t def_of(const Fuser *f, Val v) { return f->p->vals[v].eqn; }

typedef struct Closure {
    VEC(uint32_t) eqns; /* members and copies, sorted */
    VEC(Val) ins, outs;
} Closure;

static inline bool in_list(const uint32_t *v, uint32_t n, uint32_t x)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i] == x)
            return true;
    return false;
}

/* The group of the members of g1 and g2, with what goes along; could it be one kernel? */
Closure fuse_closure(Fuser *f, uint32_t g1, uint32_t g2);
bool fuse_can_be_one(Fuser *f, uint32_t g1, uint32_t g2);
/* Does it become a kernel? Else its equations stand for themselves. */
bool fuse_is_worth(const Fuser *f, const FuseGroup *g);
/* Can the kernel of such a group load what the slice e gives? Is v, for e, no element but an array? */
bool fuse_slice_is_load(const Fuser *f, uint32_t e, uint32_t g1, uint32_t g2);
bool fuse_reads_array(const Fuser *f, uint32_t e, Val v);
void fuse_again(Fuser *f); /* fuse_again.c */

#endif
