/* test_image.c -- pictures: each of tests/images gives what is in the .npy beside it (made by tools/golden_images.py), and a
 * file that is cut short or damaged is refused. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool equal(const wf_array *a, const wf_array *b)
{
    return wf_array_dtype(a) == WF_U8 && wf_array_rank(a) == 3 && wf_array_rank(b) == 3 &&
           memcmp(wf_array_dims(a), wf_array_dims(b), 3 * sizeof(int64_t)) == 0 &&
           memcmp(wf_array_data(a), wf_array_data(b), (size_t)wf_array_count(a)) == 0;
}

static void check_picture(wf_ctx *cx, const char *name)
{
    char path[300], known[300];
    wf_array *a = NULL, *b = NULL;

    snprintf(path, sizeof path, "tests/images/%s", name);
    snprintf(known, sizeof known, "tests/images/%.*s.npy", (int)strcspn(name, "."), name);
    if (wf_image_load(cx, path, &a) || wf_npy_load(cx, known, &b))
        FAIL("%s", wf_ctx_message(cx));
    else if (!equal(a, b))
        FAIL("%s: other pixels", path);
    wf_clear(cx);
    wf_array_release(a);
    wf_array_release(b);
}

TEST(pictures_have_the_pixels_that_another_reader_finds)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    DIR *d = opendir("tests/images");
    int n = 0;

    REQUIRE(d != NULL);
    for (struct dirent *e; (e = readdir(d));)
        if (*e->d_name != '.' && !strstr(e->d_name, ".npy")) {
            check_picture(cx, e->d_name);
            n++;
        }
    closedir(d);
    CHECK(n >= 17);
    wf_ctx_free(cx);
}

/* The first n bytes of the file, with one changed if at < n. */
static wf_status load_part(wf_ctx *cx, const char *from, size_t n, size_t at)
{
    static char bytes[1 << 16];
    char path[] = "/tmp/weft-image-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fopen(from, "rb");
    size_t got = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    wf_array *a = NULL;
    wf_status s;

    if (f)
        fclose(f);
    if (at < got)
        bytes[at] = (char)(bytes[at] ^ 0x55);
    if (fd < 0 || write(fd, bytes, n < got ? n : got) < 0)
        FAIL("cannot write %s", path);
    close(fd);
    s = wf_image_load(cx, path, &a);
    CHECK((s == WF_OK) == (a != NULL));
    wf_array_release(a);
    wf_clear(cx);
    unlink(path);
    return s;
}

TEST(a_picture_that_is_cut_short_or_damaged_is_refused_or_read_but_never_more)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    static const char *const files[] = {"tests/images/all_interlaced.png",
                                        "tests/images/palette.png", "tests/images/p6.ppm",
                                        "tests/images/p4.pbm"};

    for (int i = 0; i < 4; i++) {
        FILE *f = fopen(files[i], "rb");
        long size;

        REQUIRE(f != NULL);
        fseek(f, 0, SEEK_END);
        size = ftell(f);
        fclose(f);
        for (size_t n = 0; n < (size_t)size; n++) {
            CHECK_EQ_INT(load_part(cx, files[i], n, SIZE_MAX), WF_ERR_FORMAT);
            load_part(cx, files[i], (size_t)size, n);
        }
        CHECK_EQ_INT(load_part(cx, files[i], (size_t)size, SIZE_MAX), WF_OK);
    }
    wf_ctx_free(cx);
}

TEST(what_is_no_picture_says_so)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a = NULL;

    CHECK_EQ_INT(wf_image_load(cx, "Makefile", &a), WF_ERR_FORMAT);
    CHECK_HAS(wf_ctx_message(cx), "neither PNG nor PNM");
    wf_clear(cx);
    CHECK_EQ_INT(wf_image_load(cx, "tests/images/none.png", &a), WF_ERR_IO);
    wf_ctx_free(cx);
}
