/* linalg_body.h -- factorisations of one matrix, for one REAL. */
#include "linalg_reflect.h"
#include "linalg_solve.h"
#include "linalg_spectral.h"

static void factor(const KLinalg *x, const void *const *in, void *const *out,
                   const Work *w, Room *room)
{
    switch (x->op) {
    case KL_CHOLESKY: run_cholesky(x, w, in[0], out[0]); break;
    case KL_SOLVE: run_solve(x, w, in[0], in[1], out[0]); break;
    case KL_LU: run_lu(x, w, in[0], out[0], out[1], out[2], room); break;
    case KL_QR: run_qr(x, w, in[0], out[0], out[1], room); break;
    case KL_EIGH: run_eigh(x, w, in[0], out[0], out[1], room); break;
    case KL_SVD: run_svd(x, w, in[0], out, room); break;
    }
}

static void room_of(const KLinalg *x, Room *room)
{
    switch (x->op) {
    case KL_CHOLESKY:
    case KL_SOLVE: break;
    case KL_LU: room_reals(room, PANEL * x->m); break;
    case KL_QR:
        room_reals(room, x->m * x->n);
        reflections(NULL, room, min64(x->m, x->n), x->m, max64(x->n, x->k));
        break;
    case KL_EIGH: eigh_room(NULL, room, x->n); break;
    case KL_SVD: svd_room(NULL, room, x->m, x->n); break;
    }
}

/* No product has a size beyond the largest of the matrix, but for blocks of reflections. */
static size_t linalg_workspace(const KLinalg *x, int threads)
{
    int64_t most = max64(max64(x->m, x->n), REFLECT);
    Room room = {0};

    room_of(x, &room);
    return room.used + REAL_NAME(matmul_table).most(most, most, most, threads) + 128;
}

static void linalg_run(const KLinalg *x, const void *const *in, void *const *out,
                       const KPar *par, void *workspace)
{
    Room room = {(char *)workspace + (-(uintptr_t)workspace & 63), 0};
    Room sized = {0};
    Work w = {par, NULL};

    room_of(x, &sized);
    w.products = room.base + sized.used;
    factor(x, in, out, &w, &room);
}
