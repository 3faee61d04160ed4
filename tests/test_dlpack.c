/* test_dlpack.c -- arrays as DLPack structs and back. */
#include "test.h"
#include "weft_dlpack.h"

#include <string.h>

typedef struct
    Foreign { /* another library's tensor: float rows of a larger matrix, from its second element on */
    float v[16];
    int64_t shape[2], strides[2];
    int deleted;
} Foreign;

static void delete_plain(DLManagedTensor *m) { ((Foreign *)m->manager_ctx)->deleted++; }
static void delete_versioned(DLManagedTensorVersioned *m)
{
    ((Foreign *)m->manager_ctx)->deleted++;
}

static DLTensor foreign_tensor(Foreign *f)
{
    DLTensor t = {f->v, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, f->shape, f->strides, 4};

    *f = (Foreign){.shape = {2, 3}, .strides = {8, -1}};
    for (int i = 0; i < 16; i++)
        f->v[i] = (float)i;
    t.byte_offset = 3 * sizeof(float); /* rows run backwards: 3 2 1, 11 10 9 */
    return t;
}

TEST(an_array_goes_out_and_comes_back_on_the_same_memory)
{
    static const wf_dtype dtypes[] = {WF_BOOL, WF_I8,  WF_I16, WF_I32, WF_I64,
                                      WF_U8,   WF_U16, WF_U32, WF_U64, WF_F16,
                                      WF_BF16, WF_F32, WF_F64, WF_C64, WF_C128};

    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        wf_ctx *cx = wf_ctx_new(NULL);
        wf_array *a, *b, *d;
        DLManagedTensor *m;
        DLManagedTensorVersioned *v;
        void *data;

        REQUIRE(wf_array_new(cx, dtypes[i], (int64_t[]){2, 3}, 2, &a) == WF_OK);
        data = wf_array_data_mutable(a);
        REQUIRE(wf_array_to_dlpack(cx, a, &m) == WF_OK);
        REQUIRE(wf_array_to_dlpack_versioned(cx, a, &v) == WF_OK);
        wf_array_release(a); /* the structs keep it */
        CHECK_EQ_INT(m->dl_tensor.ndim, 2);
        CHECK_EQ_INT(m->dl_tensor.dtype.bits, 8 * (int)wf_dtype_size(dtypes[i]));
        CHECK_EQ_INT(m->dl_tensor.device.device_type, kDLCPU);
        CHECK(m->dl_tensor.shape[1] == 3 && m->dl_tensor.strides[0] == 3 &&
              m->dl_tensor.strides[1] == 1);
        CHECK_EQ_INT(v->version.major, 1);
        REQUIRE(wf_array_from_dlpack(cx, m, &b) == WF_OK);
        REQUIRE(wf_array_from_dlpack_versioned(cx, v, &d) == WF_OK);
        CHECK(wf_array_dtype(b) == dtypes[i] && wf_array_dtype(d) == dtypes[i]);
        CHECK(wf_array_data(b) == data && wf_array_data(d) == data);
        wf_array_release(b);
        wf_array_release(d);
        wf_ctx_free(cx);
    }
}

TEST(strides_and_offsets_of_others_are_kept_and_their_deleter_is_called_once)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Foreign f;
    DLManagedTensor m = {foreign_tensor(&f), &f, delete_plain};
    const char *text;
    wf_array *a, *b;
    wf_tensor t, u;

    REQUIRE(wf_array_from_dlpack(cx, &m, &a) == WF_OK);
    CHECK(wf_array_data(a) == &f.v[3]);
    wf_array_text(cx, a, &text);
    CHECK_STR(text, "f32[2,3] [[3, 2, 1], [11, 10, 9]]");
    b = wf_array_retain(a);
    wf_array_release(a);
    CHECK_EQ_INT(f.deleted, 0);
    wf_scope_begin(cx);
    t = wf_from_array(cx, b);
    wf_array_release(b);
    u = wf_sum(cx, t, NULL, 0, false);
    CHECK_NEAR(wf_item(cx, u), 36, 0);
    CHECK_EQ_INT(f.deleted, 0);
    wf_scope_end(cx);
    CHECK_EQ_INT(f.deleted, 1);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_OK);
    wf_ctx_free(cx);
    CHECK_EQ_INT(f.deleted, 1);
}

TEST(a_missing_deleter_and_missing_strides_are_fine)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Foreign f;
    DLManagedTensorVersioned m = {{1, 3}, &f, NULL, 1, foreign_tensor(&f)};
    const char *text;
    wf_array *a;

    m.dl_tensor.strides = NULL;
    m.dl_tensor.byte_offset = 0;
    REQUIRE(wf_array_from_dlpack_versioned(cx, &m, &a) == WF_OK);
    wf_array_text(cx, a, &text);
    CHECK_STR(text, "f32[2,3] [[0, 1, 2], [3, 4, 5]]");
    wf_array_release(a);
    m.dl_tensor.ndim = 0;
    m.dl_tensor.shape = NULL;
    REQUIRE(wf_array_from_dlpack_versioned(cx, &m, &a) == WF_OK);
    CHECK_EQ_INT(wf_array_count(a), 1);
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(a_strided_array_goes_out_as_it_lies)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    DLManagedTensor *m;
    wf_array *a;
    int64_t data[12] = {0, 1, 2, 3};

    REQUIRE(wf_array_wrap(cx, WF_I64, (int64_t[]){4, 3}, 2, (int64_t[]){1, 4}, data, NULL,
                          NULL, &a) == WF_OK);
    REQUIRE(wf_array_to_dlpack(cx, a, &m) == WF_OK);
    wf_array_release(a);
    wf_ctx_free(cx); /* the struct outlives the context */
    CHECK(m->dl_tensor.shape[0] == 4 && m->dl_tensor.strides[0] == 1 &&
          m->dl_tensor.strides[1] == 4);
    CHECK_EQ_INT(((int64_t *)m->dl_tensor.data)[3], 3);
    m->deleter(m);
}

/* What is refused stays the caller's. */
static void check_refused(DLTensor t, Foreign *f, const char *message)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    DLManagedTensor m = {t, f, delete_plain};
    wf_array *a = NULL;

    CHECK(wf_array_from_dlpack(cx, &m, &a) != WF_OK);
    CHECK(a == NULL);
    CHECK_HAS(wf_ctx_message(cx), message);
    wf_ctx_free(cx);
    CHECK_EQ_INT(f->deleted, 0);
}

TEST(complex_numbers_go_out_and_come_back)
{
    double data[4] = {1, 2, 3, -4};
    int64_t shape[1] = {2};
    DLManagedTensor m = {{data, {kDLCPU, 0}, 1, {kDLComplex, 128, 1}, shape, NULL, 0}, NULL, NULL}, *out = NULL;
    wf_ctx *cx = wf_ctx_new(NULL);
    const char *text = "";
    wf_array *a = NULL;

    CHECK(wf_array_from_dlpack(cx, &m, &a) == WF_OK);
    CHECK(wf_array_text(cx, a, &text) == WF_OK);
    CHECK_STR(text, "c128[2] [1+2j, 3-4j]");
    CHECK(wf_array_to_dlpack(cx, a, &out) == WF_OK);
    CHECK(out && out->dl_tensor.dtype.code == kDLComplex && out->dl_tensor.dtype.bits == 128 && out->dl_tensor.data == data);
    if (out && out->deleter)
        out->deleter(out);
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(what_arrays_cannot_be_is_refused_and_stays_with_its_owner)
{
    Foreign f;
    DLTensor t = foreign_tensor(&f), u;
    DLManagedTensorVersioned v = {{2, 0}, &f, delete_versioned, 0, t};
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a;

    u = t;
    u.device.device_type = 8;
    check_refused(u, &f, "device type 8");
    u.device.device_type = kDLCUDA;
    u.device.device_id = 63;
    check_refused(u, &f, "there is no device 'cuda:63'");
    u = t;
    u.dtype = (DLDataType){kDLComplex, 32, 1};
    check_refused(u, &f, "code 5, 32 bits, 1 lanes");
    u.dtype = (DLDataType){kDLFloat, 32, 4};
    check_refused(u, &f, "4 lanes");
    u.dtype = (DLDataType){kDLInt, 4, 1};
    check_refused(u, &f, "4 bits");
    u = t;
    u.byte_offset = 2;
    check_refused(u, &f, "not aligned");
    u = t;
    u.ndim = 33;
    check_refused(u, &f, "rank 33");
    u = t;
    u.data = NULL;
    check_refused(u, &f, "data is NULL");
    CHECK_EQ_INT(wf_array_from_dlpack_versioned(cx, &v, &a), WF_ERR_TYPE);
    CHECK_HAS(wf_ctx_message(cx), "version 2.0");
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_from_dlpack(cx, NULL, &a), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_to_dlpack(cx, NULL, &(DLManagedTensor *){NULL}), WF_ERR_ARG);
    wf_ctx_free(cx);
    CHECK_EQ_INT(f.deleted, 0);
}

TEST(nothing_is_harmless_and_an_error)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a = NULL, *b;
    DLManagedTensor *m = NULL;
    DLManagedTensorVersioned *v = NULL;

    REQUIRE(wf_array_new(cx, WF_F32, (int64_t[]){2}, 1, &a) == WF_OK);
    CHECK_EQ_INT(wf_array_to_dlpack(NULL, a, &m), WF_ERR_ARG);
    CHECK_EQ_INT(wf_array_to_dlpack_versioned(NULL, a, &v), WF_ERR_ARG);
    CHECK_EQ_INT(wf_array_from_dlpack(NULL, m, &b), WF_ERR_ARG);
    CHECK_EQ_INT(wf_array_from_dlpack_versioned(NULL, v, &b), WF_ERR_ARG);
    CHECK_EQ_INT(wf_array_to_dlpack(cx, a, NULL), WF_ERR_ARG);
    CHECK_EQ_INT(wf_array_to_dlpack(cx, a, &m), WF_ERR_ARG); /* the first error stays */
    CHECK(m == NULL);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_to_dlpack_versioned(cx, a, NULL), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_to_dlpack_versioned(cx, NULL, &v), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_from_dlpack(cx, m, NULL), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_from_dlpack_versioned(cx, NULL, &b), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_from_dlpack_versioned(cx, v, NULL), WF_ERR_ARG);
    wf_clear(cx);
    REQUIRE(wf_array_to_dlpack(cx, a, &m) == WF_OK && wf_array_to_dlpack_versioned(cx, a, &v) == WF_OK);
    m->deleter(NULL);
    v->deleter(NULL);
    m->deleter(m);
    v->deleter(v);
    wf_array_release(a);
    wf_ctx_free(cx);
}

static void round_trip(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al};
    wf_ctx *cx = wf_ctx_new(&o);
    wf_array *a = NULL, *b = NULL;
    DLManagedTensor *m = NULL;

    (void)user;
    if (!cx)
        return;
    if (wf_array_new(cx, WF_F32, (int64_t[]){2, 3}, 2, &a) == WF_OK &&
        wf_array_to_dlpack(cx, a, &m) == WF_OK &&
        wf_array_from_dlpack(cx, m, &b) != WF_OK)
        m->deleter(m);
    wf_array_release(b);
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(every_allocation_may_fail) { CHECK(fault_each(round_trip, NULL) > 3); }
