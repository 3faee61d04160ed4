# torch.nn.attention.flex_attention -- attention whose scores a function changes, in full.
import math as _math

import torch


def _places(b, h, m, n):
    return (torch.arange(b).view(-1, 1, 1, 1), torch.arange(h).view(1, -1, 1, 1), torch.arange(m).view(1, 1, -1, 1),
            torch.arange(n).view(1, 1, 1, -1))


class BlockMask:
    def __init__(self, mask, mask_mod):
        self.mask, self.mask_mod, self.shape = mask, mask_mod, mask.shape

    def sparsity(self):
        return 100.0 * (1.0 - float(self.mask.float().mean()))

    def to_dense(self):
        return self.mask.to(torch.int32)


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device="cpu"):
    b, h = B or 1, H or 1
    return mod_fn(*_places(b, h, Q_LEN, KV_LEN)).expand(b, h, Q_LEN, KV_LEN).to(device)


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device="cpu", BLOCK_SIZE=128, _compile=False):
    if BLOCK_SIZE is not None and not isinstance(BLOCK_SIZE, (int, tuple)):
        raise ValueError("BLOCK_SIZE is a number or two")
    return BlockMask(create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device), mask_mod)


def and_masks(*mask_mods):
    def mod(b, h, q, kv):
        out = mask_mods[0](b, h, q, kv)
        for m in mask_mods[1:]:
            out = out & m(b, h, q, kv)
        return out
    return mod


def or_masks(*mask_mods):
    def mod(b, h, q, kv):
        out = mask_mods[0](b, h, q, kv)
        for m in mask_mods[1:]:
            out = out | m(b, h, q, kv)
        return out
    return mod


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None):
    # score_mod is called once on all places at once: it must be elementwise in its indices, as compiled ones are
    if enable_gqa:
        n = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(n, dim=1), value.repeat_interleave(n, dim=1)
    scale = 1.0 / _math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if score_mod is not None:
        b, h, q, k = _places(*scores.shape)
        scores = score_mod(scores, b, h, q, k)
    if block_mask is not None:
        scores = scores.masked_fill(~block_mask.mask, float("-inf"))
    lse = torch.logsumexp(scores, -1)
    weights = torch.where(torch.isinf(lse).unsqueeze(-1), torch.zeros_like(scores), torch.softmax(scores, -1))
    out = (weights @ value).to(query.dtype)
    return (out, lse) if return_lse else out
