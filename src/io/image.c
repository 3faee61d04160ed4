/* image.c -- pictures as arrays u8[height,width,channels]: PNM and PNG.
 *
 *   PNM   "P1" .. "P6", then width, height and (not P1, P4) the largest value as decimal numbers with white space
 *         and comments (# to the end of the line) between; then numbers as text (P1 P2 P3) or bytes (P4 bits, P5, P6)
 *   PNG   "\x89PNG\r\n\x1a\n", then chunks: size (u32, big-endian), name, data, CRC. IHDR: width, height, depth, colour,
 *         compression, filter, interlace. PLTE: colours. IDAT, all together one zlib stream: of each pass the lines, a
 *         byte for the filter before each.
 *
 * Channels: 1 grey, 2 grey and alpha, 3 colours, 4 colours and alpha; of a palette 3. Values of 16 bits keep the upper 8, smaller
 * ones are scaled to 0..255. Checksums are not looked at; every size is.
 */
#include "io/io.h"

#include <stdlib.h>

#define SIDE 65535 /* at most */

typedef struct Image {
    wf_ctx *cx;
    const char *file;
    const unsigned char *at, *end;
    int64_t width, height, channels;
    unsigned char *out; /* of the array */
} Image;

static bool image_fail(const Image *m, const char *kind, const char *text)
{
    return fail(m->cx, WF_ERR_FORMAT, in_file(m->file), "%s: %s", kind, text);
}

static bool begin_array(Image *m, const char *kind, wf_array **out)
{
    int64_t dims[] = {m->height, m->width, m->channels};

    if (m->width < 1 || m->height < 1 || m->width > SIDE || m->height > SIDE)
        return image_fail(m, kind, "a picture of no size, or past 65535 a side");
    if (wf_array_new(m->cx, WF_U8, dims, 3, out))
        return false;
    m->out = wf_array_data_mutable(*out);
    return true;
}

/* ---- PNM --------------------------------------------------------------------------- */

static bool pnm_number(Image *m, int64_t *out)
{
    *out = 0;
    for (bool remark = false; m->at < m->end && (remark || *m->at <= ' ' || *m->at == '#'); m->at++)
        remark = *m->at != '\n' && (remark || *m->at == '#');
    if (m->at == m->end || *m->at < '0' || *m->at > '9')
        return image_fail(m, "PNM", "needed a number");
    for (; m->at < m->end && *m->at >= '0' && *m->at <= '9'; m->at++)
        if ((*out = 10 * *out + (*m->at - '0')) > 1 << 20)
            return image_fail(m, "PNM", "a number is too large");
    return true;
}

/* P1: digits that need no space between them */
static bool pnm_bit(Image *m, int64_t *out)
{
    while (m->at < m->end && *m->at <= ' ')
        m->at++;
    if (m->at == m->end || (*m->at != '0' && *m->at != '1'))
        return image_fail(m, "PNM", "needed 0 or 1");
    *out = *m->at++ == '0';
    return true;
}

static bool read_pnm(Image *m, wf_array **out)
{
    int kind = m->at[1] - '0';
    bool bits = kind == 1 || kind == 4;
    int64_t top = 1, v;
    size_t line, n;

    m->at += 2;
    m->channels = kind == 3 || kind == 6 ? 3 : 1;
    if (!pnm_number(m, &m->width) || !pnm_number(m, &m->height) ||
        (!bits && !pnm_number(m, &top)))
        return false;
    if (top < 1 || top > 65535)
        return image_fail(m, "PNM", "the largest value must be in 1..65535");
    m->at += kind > 3 && m->at < m->end; /* one white space before the bytes */
    line = kind == 4 ? (size_t)(m->width + 7) / 8
                     : (size_t)(m->width * m->channels * (top > 255 ? 2 : 1));
    n = (size_t)(m->width * m->channels);
    if (m->width && (size_t)(m->end - m->at) / (kind > 3 ? line : n) < (size_t)m->height)
        return image_fail(m, "PNM", "the file is cut short");
    if (!begin_array(m, "PNM", out))
        return false;
    for (size_t i = 0; i < n * (size_t)m->height; i++) {
        size_t x = i % n;

        if (kind == 4)
            v = !(m->at[i / n * line + x / 8] >> (7 - x % 8) & 1);
        else if (kind > 3)
            v = top > 255 ? m->at[2 * i] << 8 | m->at[2 * i + 1] : m->at[i];
        else if (!(kind == 1 ? pnm_bit(m, &v) : pnm_number(m, &v)))
            return false;
        m->out[i] = (unsigned char)((MIN(v, top) * 255 + top / 2) / top);
    }
    return true;
}

/* ---- PNG --------------------------------------------------------------------------- */

typedef struct Png {
    Image *m;
    int depth, colour, interlace;
    const unsigned char *palette;
    size_t colours;
    int64_t samples; /* of a pixel in the stream */
} Png;

static uint32_t big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Pass k of the interlaced form: where it begins and how far apart its pixels are. One that is not has a single pass. */
static void png_pass(const Png *g, int k, int64_t at[2], int64_t by[2], int64_t size[2])
{
    static const int64_t start[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0},
                                        {0, 2}, {1, 0}, {0, 1}},
                         step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4},
                                       {2, 4}, {2, 2}, {1, 2}};
    int64_t full[2] = {g->m->width, g->m->height};

    for (int i = 0; i < 2; i++) {
        at[i] = g->interlace ? start[k][i] : 0;
        by[i] = g->interlace ? step[k][i] : 1;
        size[i] = full[i] > at[i] ? (full[i] - at[i] + by[i] - 1) / by[i] : 0;
    }
}

static size_t png_line(const Png *g, int64_t width)
{
    return (size_t)(width * g->samples * g->depth + 7) / 8;
}

static size_t png_bytes(const Png *g)
{
    int64_t at[2], by[2], size[2];
    size_t n = 0;

    for (int k = 0; k < (g->interlace ? 7 : 1); k++) {
        png_pass(g, k, at, by, size);
        if (size[0] && size[1])
            n += (size_t)size[1] * (1 + png_line(g, size[0]));
    }
    return n;
}

static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

bool png_unfilter(int filter, unsigned char *s, const unsigned char *up, size_t n,
                         size_t pixel)
{
    if (filter > 4)
        return false;
    for (size_t i = 0; i < n && filter; i++) {
        int a = i < pixel ? 0 : s[i - pixel], b = up ? up[i] : 0,
            c = up && i >= pixel ? up[i - pixel] : 0;
        int more = filter == 1   ? a
                   : filter == 2 ? b
                   : filter == 3 ? (a + b) / 2
                                 : paeth(a, b, c);

        s[i] = (unsigned char)(s[i] + more);
    }
    return true;
}

/* Sample i of a line. */
static unsigned png_sample(const Png *g, const unsigned char *s, size_t i)
{
    size_t bit = i * (size_t)g->depth;

    if (g->depth >= 8)
        return s[g->depth == 16 ? 2 * i : i];
    return (unsigned)s[bit / 8] >> (8 - (size_t)g->depth - bit % 8) &
           ((1u << g->depth) - 1);
}

static bool png_pixels(Png *g, unsigned char *s)
{
    Image *m = g->m;
    int64_t at[2], by[2], size[2];

    for (int k = 0; k < (g->interlace ? 7 : 1); k++) {
        unsigned char *up = NULL;
        size_t n;

        png_pass(g, k, at, by, size);
        n = png_line(g, size[0]);
        for (int64_t y = 0; y < size[1] && size[0]; y++, up = s + 1, s += 1 + n) {
            if (!png_unfilter(*s, s + 1, up, n,
                              (size_t)MAX(1, g->samples * g->depth / 8)))
                return image_fail(m, "PNG", "an unknown filter");
            for (int64_t i = 0; i < size[0] * m->channels; i++) {
                int64_t x = i / m->channels, c = i % m->channels;
                unsigned v = png_sample(g, s + 1, (size_t)(g->palette ? x : i));
                unsigned char *to =
                    m->out +
                    ((at[1] + y * by[1]) * m->width + at[0] + x * by[0]) * m->channels +
                    c;

                if (g->palette && v >= g->colours)
                    return image_fail(m, "PNG", "a colour that is not in the palette");
                *to = g->palette     ? g->palette[3 * v + (unsigned)c]
                      : g->depth < 8 ? (unsigned char)(v * 255 / ((1u << g->depth) - 1))
                                     : (unsigned char)v;
            }
        }
    }
    return true;
}

/* IHDR: 13 bytes */
static bool png_header(Png *g, const unsigned char *p)
{
    static const int64_t samples[] = {1, 0, 3, 1, 2, 0, 4};
    Image *m = g->m;

    m->width = big(p);
    m->height = big(p + 4);
    g->depth = p[8];
    g->colour = p[9];
    g->interlace = p[12];
    g->samples = g->colour < 7 ? samples[g->colour] : 0;
    m->channels = g->colour == 3 ? 3 : g->samples;
    if (!g->samples || !g->depth || g->depth & (g->depth - 1) || g->depth > 16 || p[10] ||
        p[11] || p[12] > 1 || (g->depth < 8 && g->colour != 0 && g->colour != 3) ||
        (g->depth == 16 && g->colour == 3))
        return image_fail(m, "PNG", "a kind of pixel that there is not");
    if (m->width < 1 || m->height < 1 || m->width > SIDE || m->height > SIDE)
        return image_fail(m, "PNG", "a picture of no size, or past 65535 a side");
    return true;
}

static bool png_decode(Png *g, unsigned char *stream, size_t n, wf_array **out)
{
    Image *m = g->m;
    wf_allocator al = m->cx->al;
    Inflated z = {.most = png_bytes(g)};
    wf_status s = n > 6 ? inflate_bytes(&al, stream + 2, n - 2, &z) : WF_ERR_FORMAT;
    bool ok = s == WF_OK && z.size == z.most;

    if (s == WF_ERR_MEMORY)
        fail(m->cx, WF_ERR_MEMORY, in_file(m->file), "out of memory");
    else if (!ok)
        image_fail(m, "PNG", "its data is damaged, or not as much as its size says");
    else
        ok = begin_array(m, "PNG", out) && png_pixels(g, z.data);
    mem_free(&al, z.data, z.room);
    return ok;
}

static bool read_png(Image *m, wf_array **out)
{
    Png g = {.m = m};
    unsigned char *stream = arena_alloc(&m->cx->scratch, (size_t)(m->end - m->at));
    size_t n = 0;
    bool ended = false;

    for (m->at += 8; !ended && m->end - m->at >= 12;) {
        size_t size = big(m->at);
        const unsigned char *name = m->at + 4, *data = m->at + 8;

        if (size > (size_t)(m->end - m->at) - 12)
            break;
        if (memcmp(name, "IHDR", 4) == 0 && size == 13) {
            if (!png_header(&g, data))
                return false;
        } else if (memcmp(name, "PLTE", 4) == 0) {
            g.palette = g.colour == 3 ? data : NULL;
            g.colours = size / 3;
        } else if (memcmp(name, "IDAT", 4) == 0) {
            memcpy(stream + n, data, size);
            n += size;
        }
        ended = memcmp(name, "IEND", 4) == 0;
        m->at += 12 + size;
    }
    if (!ended || !g.samples || (g.colour == 3 && !g.palette))
        return image_fail(m, "PNG",
                          "the file is cut short, or lacks its header or palette");
    return png_decode(&g, stream, n, out);
}

bool image_read(wf_ctx *cx, const char *file, const char *bytes, size_t size,
                wf_array **out)
{
    const unsigned char *b = (const unsigned char *)bytes;
    Image m = {.cx = cx, .file = file, .at = b, .end = b + size};
    bool ok;

    *out = NULL;
    if (size > 8 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0)
        ok = read_png(&m, out);
    else if (size > 2 && b[0] == 'P' && b[1] >= '1' && b[1] <= '6')
        ok = read_pnm(&m, out);
    else
        ok = fail(cx, WF_ERR_FORMAT, in_file(file), "neither PNG nor PNM (P1 to P6)");
    if (!ok) {
        wf_array_release(*out);
        *out = NULL;
    }
    return ok;
}
