/* crc.c -- CRC-32C (Castagnoli), as LevelDB's tables, TFRecord files and TensorBundle use it. */
#include "tensorflow/tensorflow.h"

static uint32_t step(uint32_t v)
{
    for (int k = 0; k < 8; k++)
        v = v >> 1 ^ (0x82f63b78u & -(v & 1));
    return v;
}

uint32_t tg_crc(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    uint32_t table[256];

    if (n < 64) {
        for (crc = ~crc; n; n--)
            crc = crc >> 8 ^ step((crc ^ *p++) & 255);
        return ~crc;
    }
    for (uint32_t i = 0; i < 256; i++)
        table[i] = step(i);
    for (crc = ~crc; n; n--)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}

uint32_t tg_crc_mask(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }
