# Copies by name, joined segments, cells and norms by their kernels' names, and products of conjugates.
import torch
print(torch.vdot(torch.tensor([1+2j,3j]),torch.tensor([2j,1-1j])), torch.tensor([1+2j,3j]).vdot(torch.tensor([2j,1-1j])))
for a in [(-1,2.2,2),(0,5,1),(5,0,-2),(0.5,0.5,1),(1,3,0.5),(3,1,-0.5),(1,1.2,2)]:
    print(torch.range(*a))
print(torch.range(1,3,dtype=torch.int32))
for f in [lambda: torch.range(1,0,1), lambda: torch.range(1,2,0),lambda: torch.complex(torch.ones(2).bfloat16(),torch.ones(2).bfloat16()),]:
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:60])
x=torch.arange(12.).reshape(3,4).t()
print(torch.as_strided_scatter(x, torch.ones(2,2)*9,(2,2),(3,2),1), torch.as_strided_scatter(x, torch.ones(2,2)*9,(2,2),(3,2),1).stride())
y=torch.arange(24.).reshape(8,3)[::2]
print(torch.as_strided_scatter(y, torch.ones(2,2)*9,(2,2),(3,1),0))


print(torch.frobenius_norm(torch.ones(2,3),1,True), torch.nuclear_norm(torch.ones(2,3),True),torch.nuclear_norm(torch.ones(2,3),(0,1),True))
x=torch.arange(6.).reshape(2,3)
print(torch.fill(x,2), torch.select_copy(x,0,1), torch.unbind_copy(x,1), torch.diagonal_copy(x), torch.squeeze_copy(x[None]), torch.slice_copy(x,1,0,2), torch.split_copy(x,1), torch.unfold_copy(x,1,2,1))
for r in ('sum','mean','max','min','prod'):
  for i in (None,2.5):
    print(r,i,torch.segment_reduce(torch.arange(12.).reshape(4,3)-3,r,lengths=torch.tensor([1,0,3]),initial=i))
print(torch.segment_reduce(torch.arange(8.).reshape(2,4),'max',lengths=torch.tensor([[1,3],[2,2]]),axis=1))
print(torch.segment_reduce(torch.arange(4.),'sum',offsets=torch.tensor([0,1,4])))
try: torch.segment_reduce(torch.arange(4.),'sum',lengths=torch.tensor([1,5]))
except RuntimeError as e: print(e)
h,e=torch.histogramdd(torch.tensor([[0., 1.], [1., 0.], [2., 0.], [2., 2.]]), bins=[3, 3], weight=torch.tensor([1., 2., 4., 8.]))
print(h,e)
print(torch.histogramdd(torch.tensor([[0., 0.], [1., 1.], [2., 2.]]), bins=[2, 2], range=[0., 1., 0., 1.], density=True))
torch.manual_seed(0)
w=[torch.randn(*s) for s in ((2,3),(2,4),(16,3),(16,4),(16,),(16,))]
print(torch.lstm_cell(w[0],(w[1],w[1]),*w[2:]))
print(torch.gru_cell(w[0],w[1],w[2][:12],w[3][:12],w[4][:12],w[5][:12]), torch.rnn_tanh_cell(w[0],w[1],w[2][:4],w[3][:4],w[4][:4],w[5][:4]))
print(torch.native_layer_norm(w[1],(4,),w[4][:4],w[5][:4],1e-5))
print(torch.cov(torch.ones(0)), torch.adaptive_max_pool1d(torch.arange(10.).reshape(1,2,5)%4,2))
print(torch.can_cast(torch.complex64,torch.int8),torch.can_cast(torch.int8,torch.complex64), torch.can_cast(torch.float32,torch.complex64))
z=torch.tensor([-0.74-1.86j,1j,2.15-1.78j,2,2.23+2.61j,1])[::2]
print(torch.cumsum(z,0), torch.cumprod(z,0), z.sum(), torch.cumsum(z.clone(),0))
print(torch.ops.aten.native_batch_norm(torch.arange(12.).reshape(2, 3, 2), None, None, None, None, True, 0.1, 1e-5)[1:])
v = torch.arange(12.).reshape(3, 4)[:, ::2]
print(v.resize_(3, 2), v.resize_(2, 2), torch.arange(12.).reshape(3, 4).t().resize_(2, 3))
x = torch.tensor([[0.2, 1.0, -1.0, 2.0]], requires_grad=True)
y, mean, rstd = torch.native_layer_norm(x, (4,), None, None, 1e-5)
(y * torch.arange(4.)).sum().backward()
print(mean.requires_grad, x.grad)
u = torch.tensor([0, 2, 5], dtype=torch.uint8)
print(torch.clamp_min(u, -1), torch.clamp_max(u, 300), u.clamp_min(3), torch.clamp_min(u, 2.5), u.clone().clamp_min_(-1), torch.clamp_max(u, torch.tensor(3)))
print(torch.isin(torch.tensor(0.1), torch.tensor([0.1, 2.0], dtype=torch.float16)), torch.isin(torch.tensor([0.1]), torch.tensor([0.1], dtype=torch.float16)), torch.isin(u, torch.tensor([2.0])), torch.isin(u, 2))
x = torch.tensor([[0.2, 1.0], [-1.0, 2.0]], requires_grad=True)
y, mean, rstd = torch.native_group_norm(x, None, None, 2, 2, 1, 1, 1e-5)
(y[0] * 2 + mean + rstd).sum().backward()
print(mean.requires_grad, x.grad)
kinds = [torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.float32, torch.complex64]
print([[torch.can_cast(p, q) for q in kinds] for p in kinds])
