/* mesh.h -- meshes of devices, and how arrays lie on them, as text and as data.
 *
 *   mesh     "data:4,model:2"     axes with their sizes, the first major: 8 devices
 *   axes     "data,model"         some axes of a mesh, the first major
 *   spec     "data+model,-"       one entry for each axis of an array: the axes of the mesh it is
 *                                 divided by, the first major; -: none. "" for a scalar
 *   specs    "data,-;-"           one spec for each of several arrays
 *
 * The texts are what attributes hold: so they print, parse, and are saved as they are.
 */
#ifndef WEFT_MESH_H
#define WEFT_MESH_H

#include "ir/ir.h"

#define MESH_AXES 8

typedef struct Mesh {
    uint32_t n;
    const char *name[MESH_AXES];
    int64_t size[MESH_AXES];
    int64_t devices; /* the product of the sizes */
    uint32_t typed;  /* bits of axes that are a part of types, where that is known */
} Mesh;

typedef struct AxisList { /* axes of a mesh by number, the first major */
    uint32_t n;
    uint8_t v[MESH_AXES];
} AxisList;

typedef struct Spec {
    uint32_t rank;
    AxisList dim[MAX_RANK];
    uint32_t used; /* bit k: axis k of the mesh divides the array */
} Spec;

/* NULL, or what is wrong with the text. Strings live in a. */
const char *mesh_parse(Arena *a, const char *text, Mesh *out);
const char *spec_parse(Arena *a, const Mesh *m, const char *text, uint32_t rank, Spec *out);
/* n texts; NULL: it has another number of them. */
const char **specs_split(Arena *a, const char *text, uint32_t n);
const char *specs_join(Arena *a, const char *const *specs, uint32_t n);
/* The text with one more entry - at axis `at`. rank: of the spec as it is. */
const char *spec_insert(Arena *a, const char *spec, uint32_t rank, uint32_t at);
/* A spec of this rank whose first entry is all axes of the mesh. */
const char *spec_first(Arena *a, const Mesh *m, uint32_t rank);

void spec_divide(Spec *s, uint32_t k, AxisList axes);           /* axis k, which was whole, by these */
Spec spec_row(const Spec *s);                                   /* without the first axis */
Spec spec_stack(const Spec *s);                                 /* with a whole one before */
Spec spec_without(const Spec *s, uint32_t axes);                /* axes of the mesh by bits */
Spec spec_over(const Spec *outer, const Spec *inner);           /* parts that are divided further */

/* Names in a list such as "x,y". */
uint32_t axes_count(const char *axes);
bool axes_have(const char *axes, const char *name, size_t length);
/* Bits of the mesh's axes that are among axes; *rest: those that are not, or NULL for none. */
uint32_t mesh_find(Arena *a, const Mesh *m, const char *axes, AxisList *out, const char **rest);
const char *axes_of_bits(Arena *a, const Mesh *m, uint32_t bits);
int64_t mesh_count(const Mesh *m, AxisList axes); /* the product of their sizes */
/* Where device d stands along an axis, and along several as one. */
int64_t mesh_coordinate(const Mesh *m, int64_t device, uint32_t axis);
int64_t mesh_position(const Mesh *m, int64_t device, AxisList axes);

#endif
