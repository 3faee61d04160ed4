/* image.c -- the module _image: what pictures need and a loop of the script would be slow at.
 *
 *   unfilter   rows of a PNG without their filters (PNG 1.2, section 6)
 *   unpack     samples of 1, 2 or 4 bits as bytes
 *   jpeg       JPEG both ways by libjpeg, which is opened when it is first needed; a build without its header says so
 *   fill       a polygon onto a canvas of RGB bytes, with soft edges
 *
 * fill: every edge adds its signed area to the cells it crosses, and its height to those right of them; the running sum along
 * a row is then how much of each cell is inside. Overlaps of pieces of one orientation count once.
 */
#include "io/io.h"
#include "modules.h"
#include "script/bytes.h"

#include <math.h>
#include <stdlib.h>

#if defined(__has_include)
#if __has_include(<jpeglib.h>)
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>
#define HAVE_JPEG 1
#endif
#endif

/* ---- PNG --------------------------------------------------------------------------- */

/* unfilter(data, rows, row_bytes, step): each row has the kind of its filter before it; step: bytes of a pixel, at least 1 */
static Value m_unfilter(Vm *vm, const Args *a)
{
    const uint8_t *p;
    uint8_t *out;
    int64_t n, rows, size, step;
    Value r;

    if (!sc_bytes_view(vm, a->v[0], &p, &n) || !sc_to_int(vm, a->v[1], &rows) ||
        !sc_to_int(vm, a->v[2], &size) || !sc_to_int(vm, a->v[3], &step))
        return NIL;
    if (rows < 0 || size < 0 || step < 1 || size > INT32_MAX || rows > n ||
        n < rows * (size + 1))
        return sc_raise(vm, C_ValueError, "image file is truncated");
    r = sc_bytes(vm, NULL, rows * size);
    if (r.tag == T_NIL)
        return r;
    out = ((Bytes *)(void *)r.o)->v;
    for (int64_t i = 0; i < rows; i++) {
        uint8_t *row = out + i * size;
        int kind = p[i * (size + 1)];

        memcpy(row, p + i * (size + 1) + 1, (size_t)size);
        if (!png_unfilter(kind, row, i ? row - size : NULL, (size_t)size, (size_t)step)) {
            sc_drop(vm, r);
            return sc_raise(vm, C_ValueError, "broken PNG file (a filter of kind %d)",
                            kind);
        }
    }
    return r;
}

/* unpack(data, rows, row_bytes, columns, bits) */
static Value m_unpack(Vm *vm, const Args *a)
{
    const uint8_t *p;
    uint8_t *out;
    int64_t n, rows, size, columns, bits;
    Value r;

    if (!sc_bytes_view(vm, a->v[0], &p, &n) || !sc_to_int(vm, a->v[1], &rows) ||
        !sc_to_int(vm, a->v[2], &size) || !sc_to_int(vm, a->v[3], &columns) ||
        !sc_to_int(vm, a->v[4], &bits))
        return NIL;
    if ((bits != 1 && bits != 2 && bits != 4) || rows < 0 || size < 0 || columns < 0 ||
        columns > INT32_MAX || size > INT32_MAX || rows > INT32_MAX ||
        columns * bits > size * 8 || n < rows * size)
        return sc_raise(vm, C_ValueError, "image file is truncated");
    r = sc_bytes(vm, NULL, rows * columns);
    if (r.tag == T_NIL)
        return r;
    out = ((Bytes *)(void *)r.o)->v;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            int64_t at = j * bits;

            *out++ = (uint8_t)(p[i * size + at / 8] >> (8 - bits - at % 8) &
                               ((1 << bits) - 1));
        }
    return r;
}

/* ---- JPEG -------------------------------------------------------------------------- */

#ifdef HAVE_JPEG

#define JPEG_FUNCTIONS(F)                                                                \
    F(struct jpeg_error_mgr *, std_error, (struct jpeg_error_mgr *))                     \
    F(void, CreateDecompress, (j_decompress_ptr, int, size_t))                           \
    F(void, CreateCompress, (j_compress_ptr, int, size_t))                               \
    F(void, mem_src, (j_decompress_ptr, const unsigned char *, unsigned long))           \
    F(void, mem_dest, (j_compress_ptr, unsigned char **, unsigned long *))               \
    F(int, read_header, (j_decompress_ptr, boolean))                                     \
    F(boolean, start_decompress, (j_decompress_ptr))                                     \
    F(JDIMENSION, read_scanlines, (j_decompress_ptr, JSAMPARRAY, JDIMENSION))            \
    F(boolean, finish_decompress, (j_decompress_ptr))                                    \
    F(void, destroy_decompress, (j_decompress_ptr))                                      \
    F(void, set_defaults, (j_compress_ptr))                                              \
    F(void, set_quality, (j_compress_ptr, int, boolean))                                 \
    F(void, start_compress, (j_compress_ptr, boolean))                                   \
    F(JDIMENSION, write_scanlines, (j_compress_ptr, JSAMPARRAY, JDIMENSION))             \
    F(void, finish_compress, (j_compress_ptr))                                           \
    F(void, destroy_compress, (j_compress_ptr))

#define FIELD(result, name, args) result(*name) args;
typedef struct Jpeg {
    JPEG_FUNCTIONS(FIELD)
} Jpeg;

typedef struct JpegError { /* libjpeg's errors end in a jump */
    struct jpeg_error_mgr mgr;
    jmp_buf out;
    char text[JMSG_LENGTH_MAX];
} JpegError;

static void on_error(j_common_ptr c)
{
    JpegError *e = (JpegError *)(void *)c->err;

    e->mgr.format_message(c, e->text);
    longjmp(e->out, 1);
}

static void on_warning(j_common_ptr c) { (void)c; }

static bool open_jpeg(Vm *vm, Jpeg *j)
{
    static const char *const names[] = {JPEG_LIB_VERSION >= 80 ? "libjpeg.so.8"
                                                               : "libjpeg.so.62",
                                        "libjpeg.so", "libjpeg.dylib"};
    void *lib = NULL, *at;

    for (int i = 0; i < 3 && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return sc_fail(vm, C_OSError, "JPEG images need libjpeg, which is not installed");
#define FIND(result, name, args)                                                         \
    at = dlsym(lib, "jpeg_" #name);                                                      \
    if (!at)                                                                             \
        return sc_fail(vm, C_OSError, "libjpeg has no jpeg_" #name);                     \
    memcpy(&j->name, &at, sizeof at);
    JPEG_FUNCTIONS(FIND)
    return true;
}

static struct jpeg_error_mgr *catch_errors(const Jpeg *j, JpegError *e)
{
    j->std_error(&e->mgr);
    e->mgr.error_exit = on_error;
    e->mgr.output_message = on_warning;
    return &e->mgr;
}

/* The bytes object is made once the header has told how large; NIL without an exception: see e->text. */
static Value decode(Vm *vm, const Jpeg *j, JpegError *e, struct jpeg_decompress_struct *c,
                    const uint8_t *p, int64_t n)
{
    Value volatile r = NIL;
    size_t row;

    c->err = catch_errors(j, e);
    if (setjmp(e->out)) {
        j->destroy_decompress(c);
        sc_drop(vm, r);
        return NIL;
    }
    j->CreateDecompress(c, JPEG_LIB_VERSION, sizeof *c);
    j->mem_src(c, p, (unsigned long)n);
    j->read_header(c, TRUE);
    if (c->num_components == 3)
        c->out_color_space = JCS_RGB;
    j->start_decompress(c);
    row = (size_t)c->output_width * (size_t)c->output_components;
    r = sc_bytes(vm, NULL, (int64_t)(row * c->output_height));
    if (r.tag != T_NIL) {
        uint8_t *out = ((Bytes *)(void *)r.o)->v;

        while (c->output_scanline < c->output_height) {
            JSAMPROW at = out + row * c->output_scanline;

            j->read_scanlines(c, &at, 1);
        }
        j->finish_decompress(c);
    }
    j->destroy_decompress(c);
    return r;
}

/* jpeg_decode(data): (width, height, channels, bytes) */
static Value m_jpeg_decode(Vm *vm, const Args *a)
{
    struct jpeg_decompress_struct c = {0};
    JpegError e = {0};
    Jpeg j;
    const uint8_t *p;
    int64_t n;
    Value pixels;
    Tuple *t;

    if (!sc_bytes_view(vm, a->v[0], &p, &n) || !open_jpeg(vm, &j))
        return NIL;
    pixels = decode(vm, &j, &e, &c, p, n);
    if (pixels.tag == T_NIL)
        return sc_failed(vm) ? NIL
                             : sc_raise(vm, C_OSError, "broken JPEG file: %s", e.text);
    t = sc_tuple(vm, 4);
    if (!t) {
        sc_drop(vm, pixels);
        return NIL;
    }
    t->v[0] = v_int(c.output_width);
    t->v[1] = v_int(c.output_height);
    t->v[2] = v_int(c.output_components);
    t->v[3] = pixels;
    return v_obj(t);
}

/* jpeg_encode(bytes, width, height, channels, quality) */
static Value m_jpeg_encode(Vm *vm, const Args *a)
{
    struct jpeg_compress_struct c = {0};
    JpegError e = {0};
    Jpeg j;
    const uint8_t *p;
    unsigned char *to = NULL;
    unsigned long size = 0;
    int64_t n, width, height, channels, quality;
    Value r;

    if (!sc_bytes_view(vm, a->v[0], &p, &n) || !sc_to_int(vm, a->v[1], &width) ||
        !sc_to_int(vm, a->v[2], &height) || !sc_to_int(vm, a->v[3], &channels) ||
        !sc_to_int(vm, a->v[4], &quality) || !open_jpeg(vm, &j))
        return NIL;
    if (width < 1 || height < 1 || width > 65500 || height > 65500 ||
        (channels != 1 && channels != 3) || n != width * height * channels)
        return sc_raise(
            vm, C_ValueError,
            "a JPEG image is of 1 or 3 channels and at most 65500 pixels a side");
    c.err = catch_errors(&j, &e);
    if (setjmp(e.out)) {
        j.destroy_compress(&c);
        free(to);
        return sc_raise(vm, C_OSError, "JPEG: %s", e.text);
    }
    j.CreateCompress(&c, JPEG_LIB_VERSION, sizeof c);
    j.mem_dest(&c, &to, &size);
    c.image_width = (JDIMENSION)width;
    c.image_height = (JDIMENSION)height;
    c.input_components = (int)channels;
    c.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    j.set_defaults(&c);
    j.set_quality(&c, (int)quality, TRUE);
    j.start_compress(&c, TRUE);
    while (c.next_scanline < c.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(p + (size_t)c.next_scanline *
                                                     (size_t)(width * channels));

        j.write_scanlines(&c, &row, 1);
    }
    j.finish_compress(&c);
    j.destroy_compress(&c);
    r = sc_bytes(vm, to, (int64_t)size);
    free(to);
    return r;
}

#else

static Value m_jpeg_decode(Vm *vm, const Args *a)
{
    (void)a;
    return sc_raise(
        vm, C_OSError,
        "JPEG images need libjpeg, whose header was not there when this was built");
}

static Value m_jpeg_encode(Vm *vm, const Args *a) { return m_jpeg_decode(vm, a); }

#endif

/* ---- polygons ---------------------------------------------------------------------- */

typedef struct Canvas {
    uint8_t *rgb;
    double *sum; /* width + 2 a row, of the rows in play */
    int64_t width, height;
    int64_t x0, y0, x1, y1; /* nothing is drawn outside */
} Canvas;

/* The part of an edge in one row: covers are differences, so that a running sum gives them. */
static void edge_in_row(Canvas *c, double *row, double xa, double xb, double dy)
{
    double lo = xa < xb ? xa : xb, hi = xa < xb ? xb : xa, w = (double)c->width;
    int64_t i, end;

    lo = lo < 0 ? 0 : lo > w ? w : lo;
    hi = hi < 0 ? 0 : hi > w ? w : hi;
    i = (int64_t)lo;
    end = (int64_t)hi;
    if (i == end || hi - lo < 1e-12) { /* in one cell: the part right of the edge */
        double part = 1 - ((lo + hi) / 2 - (double)i);

        row[i] += dy * part;
        row[i + 1] += dy * (1 - part);
        return;
    }
    double before = 0, slope = dy / (hi - lo);

    for (; i <= end;
         i++) { /* area right of the edge in cell i, and all of it further right */
        double a = lo > (double)i ? lo : (double)i,
               b = hi < (double)(i + 1) ? hi : (double)(i + 1), d, area;

        if (b <= a)
            continue;
        d = slope * (b - a);
        area = d * (1 - ((a + b) / 2 - (double)i));
        row[i] += area + before;
        before = d - area;
    }
    row[end + 1] += before;
}

static void add_edge(Canvas *c, double xa, double ya, double xb, double yb)
{
    double sign = 1;

    if (ya == yb || !isfinite(xa + ya + xb + yb))
        return;
    if (ya > yb) {
        double t = xa;

        xa = xb, xb = t;
        t = ya, ya = yb, yb = t;
        sign = -1;
    }
    double slope = (xb - xa) / (yb - ya), top = ya > (double)c->y0 ? ya : (double)c->y0,
           end = yb < (double)c->y1 ? yb : (double)c->y1;

    for (int64_t y = (int64_t)floor(top); (double)y < end; y++) {
        double a = top > (double)y ? top : (double)y,
               b = end < (double)(y + 1) ? end : (double)(y + 1);

        if (b > a)
            edge_in_row(c, c->sum + (y - c->y0) * (c->width + 2), xa + (a - ya) * slope,
                        xa + (b - ya) * slope, sign * (b - a));
    }
}

static void paint(Canvas *c, const double color[4])
{
    for (int64_t y = c->y0; y < c->y1; y++) {
        const double *row = c->sum + (y - c->y0) * (c->width + 2);
        double cover = 0;

        for (int64_t x = 0; x < c->x1; x++) {
            double k;

            cover += row[x];
            k = fabs(cover);
            k = (k > 1 ? 1 : k) * color[3];
            if (x < c->x0 || k < 1.0 / 1024)
                continue;
            for (int i = 0; i < 3; i++) {
                uint8_t *to = c->rgb + (y * c->width + x) * 3 + i;

                *to = (uint8_t)lround(*to + (color[i] * 255 - *to) * k);
            }
        }
    }
}

/* Rows that a polygon can touch, so that a small one does not cost a whole canvas. */
static bool rows_of(Vm *vm, List *pieces, Canvas *c)
{
    double lo = INFINITY, hi = -INFINITY, y;

    for (int64_t k = 0; k < pieces->n; k++) {
        List *xy = (List *)(void *)pieces->v[k].o;

        if (!sc_is(vm, pieces->v[k], C_list))
            return sc_fail(vm, C_TypeError, "fill: a piece is a list of x, y, x, y, ..");
        for (int64_t i = 0; i + 1 < xy->n; i += 2) {
            if (!sc_to_double(vm, xy->v[i + 1], &y))
                return false;
            lo = y < lo ? y : lo;
            hi = y > hi ? y : hi;
        }
    }
    if (lo > (double)c->y0)
        c->y0 = lo < (double)c->y1 ? (int64_t)lo : c->y1;
    if (hi < (double)c->y1)
        c->y1 = hi > (double)c->y0 ? (int64_t)ceil(hi) : c->y0;
    return true;
}

static bool add_pieces(Vm *vm, List *pieces, Canvas *c)
{
    for (int64_t k = 0; k < pieces->n; k++) {
        List *xy = (List *)(void *)pieces->v[k].o;
        int64_t n = xy->n / 2;
        double xa, ya, xb, yb;

        for (int64_t i = 0; i < n; i++) {
            int64_t next = i + 1 < n ? i + 1 : 0;

            if (!sc_to_double(vm, xy->v[2 * i], &xa) ||
                !sc_to_double(vm, xy->v[2 * i + 1], &ya) ||
                !sc_to_double(vm, xy->v[2 * next], &xb) ||
                !sc_to_double(vm, xy->v[2 * next + 1], &yb))
                return false;
            add_edge(c, xa, ya, xb, yb);
        }
    }
    return true;
}

/* fill(canvas, width, height, pieces, color, clip): canvas a bytearray of RGB; pieces a list of lists x, y, ..; color r, g, b, a
 * from 0 to 1; clip x0, y0, x1, y1 in pixels */
static Value m_fill(Vm *vm, const Args *a)
{
    Canvas c = {0};
    Tuple *color = NULL, *clip = NULL;
    double rgba[4];
    int64_t box[4];
    size_t size = 0;
    bool ok;

    if (!sc_is(vm, a->v[0], C_bytearray) || !sc_is(vm, a->v[3], C_list))
        return sc_raise(vm, C_TypeError,
                        "fill: a canvas is a bytearray, pieces are a list");
    ok = sc_to_int(vm, a->v[1], &c.width) && sc_to_int(vm, a->v[2], &c.height) &&
         (color = sc_tuple_from(vm, a->v[4])) != NULL &&
         (clip = sc_tuple_from(vm, a->v[5])) != NULL &&
         ((color->n == 4 && clip->n == 4) ||
          sc_fail(vm, C_ValueError, "fill: four numbers for color and clip"));
    for (int i = 0; ok && i < 4; i++)
        ok =
            sc_to_double(vm, color->v[i], &rgba[i]) && sc_to_int(vm, clip->v[i], &box[i]);
    if (ok && (c.width < 1 || c.height < 1 || c.width > 65535 || c.height > 65535 ||
               ((Bytes *)(void *)a->v[0].o)->n != c.width * c.height * 3))
        ok = sc_fail(vm, C_ValueError, "fill: the canvas is not of that size");
    if (ok) {
        c.rgb = ((Bytes *)(void *)a->v[0].o)->v;
        c.x0 = box[0] > 0 ? box[0] : 0;
        c.y0 = box[1] > 0 ? box[1] : 0;
        c.x1 = box[2] < c.width ? box[2] : c.width;
        c.y1 = box[3] < c.height ? box[3] : c.height;
        ok = rows_of(vm, (List *)(void *)a->v[3].o, &c);
    }
    if (ok && c.y0 < c.y1 && c.x0 < c.x1) {
        size = (size_t)((c.y1 - c.y0) * (c.width + 2)) * sizeof *c.sum;
        c.sum = sc_alloc(vm, size);
        ok = c.sum != NULL;
        if (ok) {
            memset(c.sum, 0, size);
            ok = add_pieces(vm, (List *)(void *)a->v[3].o, &c);
        }
        if (ok)
            paint(&c, rgba);
        sc_free(vm, c.sum, size);
    }
    if (color)
        obj_drop(vm, color);
    if (clip)
        obj_drop(vm, clip);
    return ok ? NONE : NIL;
}

static const NativeDef functions[] = {
    {"unfilter", m_unfilter, "data,rows,row_bytes,step"},
    {"unpack", m_unpack, "data,rows,row_bytes,columns,bits"},
    {"jpeg_decode", m_jpeg_decode, "data"},
    {"jpeg_encode", m_jpeg_encode, "data,width,height,channels,quality"},
    {"fill", m_fill, "canvas,width,height,pieces,color,clip"},
    {0}};

bool open_image(Vm *vm, ScModule *m) { return sc_module_natives(vm, m, functions); }
