# torch.nn.modules.transformer -- attention with several heads, and the layers made of it.
import copy as _copy
import math as _math

import _torch as _w
from torch._creation import empty as _empty
from torch._types import bool as _bool, float32, placed
from torch.nn import functional as F, init
from torch.nn.modules.container import ModuleList
from torch.nn.modules.linear import Dropout, Linear, NonDynamicallyQuantizableLinear
from torch.nn.modules.module import Module
from torch.nn.modules.norm import LayerNorm
from torch.nn.parameter import Parameter


class MultiheadAttention(Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(_empty((3 * embed_dim, embed_dim), dtype=dtype, device=device))
            self.register_parameter("q_proj_weight", None)
            self.register_parameter("k_proj_weight", None)
            self.register_parameter("v_proj_weight", None)
        else:
            self.q_proj_weight = Parameter(_empty((embed_dim, embed_dim), dtype=dtype, device=device))
            self.k_proj_weight = Parameter(_empty((embed_dim, self.kdim), dtype=dtype, device=device))
            self.v_proj_weight = Parameter(_empty((embed_dim, self.vdim), dtype=dtype, device=device))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = Parameter(_empty(3 * embed_dim, dtype=dtype, device=device))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype,
                                                        device=device)
        if add_bias_kv:
            self.bias_k = Parameter(_empty((1, 1, embed_dim), dtype=dtype, device=device))
            self.bias_v = Parameter(_empty((1, 1, embed_dim), dtype=dtype, device=device))
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        for p in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if p is not None:
                init.xavier_uniform_(p)
        if bias:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        if add_bias_kv:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        _check_causal(is_causal, attn_mask)
        batched = query.ndim == 3
        if not batched:
            query, key, value = [_w.expand_dims(x, 0) for x in (query, key, value)]
            if key_padding_mask is not None:
                key_padding_mask = _w.expand_dims(key_padding_mask, 0)
        elif not self.batch_first:
            query, key, value = [_w.swap_axes(x, 0, 1) for x in (query, key, value)]
        if self._qkv_same_embed_dim:
            weights = [_w.narrow(self.in_proj_weight, 0, k * self.embed_dim, self.embed_dim) for k in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        q, k, v = _projected((query, key, value), weights, self.in_proj_bias)
        y, weights = _attended(q, k, v, self.num_heads, self.bias_k, self.bias_v, self.add_zero_attn,
                               self.dropout if self.training else 0.0, key_padding_mask, attn_mask)
        y = self.out_proj(y)
        if batched and self.training:  # in PyTorch the memory is [time, batch, width]
            y = _w.copy(_w.swap_axes(y, 0, 1))
            y = _w.swap_axes(y, 0, 1) if self.batch_first else y
        elif batched and not self.batch_first:
            y = _w.swap_axes(y, 0, 1)
        if average_attn_weights:
            weights = _w.mean(weights, 1)
        if not batched:
            y, weights = _w.squeeze(y, 0), _w.squeeze(weights, 0)
        return y, weights if need_weights else None


def _check_causal(is_causal, attn_mask):
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")


def _projected(inputs, weights, bias):
    e = weights[0].shape[0]
    biases = [None] * 3 if bias is None else [_w.narrow(bias, 0, k * e, e) for k in range(3)]
    return [_w.linear(x, w, c) for x, w, c in zip(inputs, weights, biases)]


def _attended(q, k, v, num_heads, bias_k, bias_v, add_zero_attn, dropout, key_padding_mask, attn_mask):
    # Attention of projected [batch, time, width]: the result of the same form, and weights [batch, heads, time, time of keys].
    batch, width = q.shape[0], q.shape[2]
    head = width // num_heads
    mask, padding = _added(attn_mask, q.dtype), _added(key_padding_mask, q.dtype)
    longer = []
    if bias_k is not None:
        longer.append((_w.reshape(bias_k, (1, 1, -1)), _w.reshape(bias_v, (1, 1, -1))))
    if add_zero_attn:
        longer.append((_w.full((1, 1, width), 0, k.dtype),) * 2)
    for a, b in longer:                     # one more key, which no mask hides
        k = _w.concat([k, _w.broadcast_to(a, (batch, 1, width))], 1)
        v = _w.concat([v, _w.broadcast_to(b, (batch, 1, width))], 1)
        mask, padding = [None if m is None else _w.pad(m, [0] * m.ndim, [0] * (m.ndim - 1) + [1], 0) for m in (mask, padding)]
    # [batch, time, width] -> [batch, heads, time, width of a head]
    q, k, v = [_w.swap_axes(_w.reshape(x, (batch, x.shape[1], num_heads, head)), 1, 2) for x in (q, k, v)]
    if mask is not None and mask.ndim == 3:
        mask = _w.reshape(mask, (batch, num_heads, mask.shape[1], mask.shape[2]))
    if padding is not None:
        padding = _w.reshape(padding, (padding.shape[0], 1, 1, padding.shape[1]))
        mask = padding if mask is None else mask + padding
    scores = _w.matmul(q / _math.sqrt(head), _w.swap_axes(k, -2, -1))
    if mask is not None:
        scores = scores + mask
    weights = _w.softmax(scores, -1)
    if dropout > 0:
        weights = F.dropout(weights, dropout, True)
    y = _w.swap_axes(_w.matmul(weights, v), 1, 2)
    return _w.reshape(y, (batch, y.shape[1], width)), weights


def _added(mask, dtype):
    # What is added to the scores: -inf where a bool mask is true.
    if mask is None or mask.dtype != _bool:
        return mask
    return _w.masked_fill(_w.full(mask.shape, 0, dtype), mask, float("-inf"))


def _activation(a):
    if isinstance(a, str):
        if a not in ("relu", "gelu"):
            raise RuntimeError(f"activation should be relu/gelu, not {a}")
        return F.relu if a == "relu" else F.gelu
    return a


class TransformerEncoderLayer(Module):
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-05,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        def attend(x):
            y = self.self_attn(x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask,
                               need_weights=False)[0]
            return self.dropout1(y)

        x = src
        if self.norm_first:
            x = x + attend(self.norm1(x))
            return x + self._feed(self.norm2(x))
        x = self.norm1(x + attend(x))
        return self.norm2(x + self._feed(x))

    def _feed(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-05,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        def own(x):
            y = self.self_attn(x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask,
                               need_weights=False)[0]
            return self.dropout1(y)

        def across(x):
            y = self.multihead_attn(x, memory, memory, attn_mask=memory_mask,
                                    key_padding_mask=memory_key_padding_mask, need_weights=False)[0]
            return self.dropout2(y)

        def feed(x):
            return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        x = tgt
        if self.norm_first:
            x = x + own(self.norm1(x))
            x = x + across(self.norm2(x))
            return x + feed(self.norm3(x))
        x = self.norm1(x + own(x))
        x = self.norm2(x + across(x))
        return self.norm3(x + feed(x))


def _clones(layer, n):
    return ModuleList([_copy.deepcopy(layer) for _ in range(n)])


class TransformerEncoder(Module):
    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048,
                 dropout=0.1, activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-05,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(*options)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias))
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(*options)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias))
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        return placed(_w.triu(_w.full((sz, sz), float("-inf"), dtype or float32), 1), device)
