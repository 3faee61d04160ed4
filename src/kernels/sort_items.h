/* sort_items.h -- stable sorting of items by their keys, for one kind of item. Included
 * by sort.c with ITEM, ITEM_KEY(x) (its key, as uint64_t) and ITEM_NAME(f).
 */

#define FEW 48 /* items that are sorted by insertion */

static void ITEM_NAME(insert)(ITEM *x, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        ITEM v = x[i];
        int64_t at = i;

        for (; at > 0 && ITEM_KEY(x[at - 1]) > ITEM_KEY(v); at--)
            x[at] = x[at - 1];
        x[at] = v;
    }
}

/* x sorted by digits of 8 bits from the lowest on, with room for as many in spare.
 * Digits that all keys have in common are passed over. */
static void ITEM_NAME(sort)(ITEM *x, ITEM *spare, int64_t n, int bits)
{
    ITEM *from = x, *to = spare;

    if (n <= FEW) {
        ITEM_NAME(insert)(x, n);
        return;
    }
    for (int shift = 0; shift < bits; shift += 8) {
        int64_t place[256] = {0}, sum = 0;
        ITEM *swap;

        for (int64_t i = 0; i < n; i++)
            place[ITEM_KEY(from[i]) >> shift & 255]++;
        if (place[ITEM_KEY(from[0]) >> shift & 255] == n)
            continue;
        for (int d = 0; d < 256; d++) {
            int64_t count = place[d];

            place[d] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++)
            to[place[ITEM_KEY(from[i]) >> shift & 255]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
}

/* Items first .. last-1 of what merging a and b gives, those of a first among equals. */
static void ITEM_NAME(merge)(const ITEM *a, int64_t na, const ITEM *b, int64_t nb,
                             ITEM *out, int64_t first, int64_t last)
{
    int64_t lo = first > nb ? first - nb : 0, hi = least(first, na), j;

    while (lo < hi) { /* how many of a are before item `first` */
        int64_t mid = lo + (hi - lo) / 2;

        if (ITEM_KEY(a[mid]) <= ITEM_KEY(b[first - 1 - mid]))
            lo = mid + 1;
        else
            hi = mid;
    }
    j = first - lo;
    for (int64_t k = first; k < last; k++)
        if (j == nb || (lo < na && ITEM_KEY(a[lo]) <= ITEM_KEY(b[j])))
            out[k] = a[lo++];
        else
            out[k] = b[j++];
}

#undef FEW
#undef ITEM
#undef ITEM_KEY
#undef ITEM_NAME
