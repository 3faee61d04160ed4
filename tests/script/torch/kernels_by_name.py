# Operators that archives name and no function of torch is called by.
import torch

torch.manual_seed(0)
a = torch.ops.aten


def show(x):
    for t in x if isinstance(x, (tuple, list)) else [x]:
        if isinstance(t, torch.Tensor):
            print(tuple(t.shape), t.dtype, [round(float(v), 4) for v in t.reshape(-1)[:6]])
        else:
            print(t)


x = torch.arange(24.0).reshape(2, 3, 4) / 7 - 1.5
w = torch.arange(18.0).reshape(2, 3, 3) / 9 - 1
show(a.numpy_T(x[0]))
show(a._convolution_mode(x, w, None, [1], "same", [1], 1))
show(a._convolution_mode(x, w, torch.ones(2), [1], "valid", [1], 1))
show(a._weight_norm(x, torch.ones(2, 1, 1) * 3, 0))
show(a._weight_norm(x, torch.ones(1, 1, 4) * 2, 2))
show(a.norm_except_dim(x, 2, 1))
show(a.conv_tbc(x, torch.arange(24.0).reshape(2, 4, 3) / 9, torch.zeros(3), 1))
h, c = torch.full((2, 5), 0.5), torch.full((2, 5), -0.25)
wx, wh = torch.linspace(-1, 1, 60).reshape(20, 3), torch.linspace(1, -1, 100).reshape(20, 5)
show(a.lstm_cell(x[0, :2, :3], [h, c], wx, wh, torch.linspace(0, 1, 20), torch.linspace(1, 0, 20)))
show(a.gru_cell(x[0, :2, :3], h, wx[:15], wh[:15], torch.linspace(0, 1, 15), torch.linspace(1, 0, 15)))
show(a.rnn_tanh_cell(x[0, :2, :3], h, wx[:5], wh[:5]))
show(a.rnn_relu_cell(x[0, :2, :3], h, wx[:5], wh[:5]))
show(a._unique2(torch.tensor([3, 1, 3, 2, 1]), True, True, True))
show(a._unsafe_index(x, [None, torch.tensor([2, 0])]))
show(a.diagonal_scatter(x[0], torch.full((3,), 9.0)))
show(a._safe_softmax(torch.tensor([[1.0, 2.0], [float("-inf"), float("-inf")]]), -1))
show(a._prelu_kernel(x, torch.tensor([0.1]).reshape(1, 1, 1).expand(1, 3, 1)))
show(a.log_sigmoid_forward(x)[0])
show(a._addmm_activation(torch.ones(3), x[0], x[0].T, use_gelu=True))
show(a._addmm_activation(torch.ones(3), x[0], x[0].T))
show(a.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 15))
show(a.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 2, 1], dtype=torch.int32), 1, -8, 7))
show(a.frobenius_norm(x, [1, 2], False))
show(a.ldexp(x[0], torch.tensor(3)))
show(a.affine_grid_generator(torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]]]), [1, 1, 2, 2], False))
show(a._embedding_bag(x[0], torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2]), False, 1)[0])
show(a._scaled_dot_product_attention_math(x[None], x[None], x[None], None, 0.0, True)[0])
show(a.max_pool1d_with_indices(x, [2]))
show(a._batch_norm_impl_index(x, None, None, torch.zeros(3), torch.ones(3), False, 0.1, 1e-5, False)[0])
show(a.native_batch_norm(x, torch.ones(3), torch.zeros(3), torch.zeros(3), torch.ones(3), True, 0.1, 1e-5)[0])
show(a._fused_rms_norm(x, [4], torch.ones(4), 1e-5)[0])
show(a.permute_copy(x, [2, 0, 1]))
show(a.unsqueeze_copy(x, 0))
show(a._is_all_true(x > -2))
show(a._reshape_alias(x, [6, 4], [4, 1]))
