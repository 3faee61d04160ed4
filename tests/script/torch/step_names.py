# Names of the steps of products and reshapes, by ranks and by what has a gradient.
import torch

x = torch.randn(2, 3, 4)
w = torch.randn(4, 5, requires_grad=True)
xr = torch.randn(2, 3, 4, requires_grad=True)
v = torch.randn(4, requires_grad=True)
for e in ["x @ w", "xr @ w.detach()", "xr @ v.detach()", "xr.transpose(0, 1) @ w.detach()", "xr.transpose(0, 1) @ w",
          "xr[0] @ w", "v @ w", "v @ v", "w.T @ v", "v @ xr.transpose(1, 2)", "w.T @ xr.transpose(1, 2)",
          "w.T.detach() @ xr.transpose(1, 2)", "xr @ xr.transpose(1, 2)", "xr[None] @ xr.transpose(1, 2)",
          "torch.nn.functional.linear(xr, w.T)", "torch.nn.functional.linear(xr, w.T.detach(), torch.zeros(5))",
          "torch.nn.functional.linear(xr[0], w.T, torch.zeros(5))",
          "torch.nn.functional.linear(xr[None], w.T, torch.zeros(5))",
          "torch.nn.functional.linear(v, w.T, torch.zeros(5))", "torch.nn.functional.linear(v, w.T)",
          "torch.nn.Linear(4, 3)(xr)", "torch.nn.Linear(4, 3, bias=False)(xr)", "torch.nn.Linear(4, 3)(v)",
          "torch.nn.Linear(4, 3, bias=False)(v)", "w.T.reshape(-1)", "w.T.flatten()", "w.t().contiguous().view(-1)",
          "xr.transpose(1, 2).reshape(2, 12)", "xr.transpose(1, 2).reshape(8, 3)", "torch.mm(w.T, w)",
          "torch.bmm(xr, xr.transpose(1, 2))", "torch.mv(w.T, v)", "torch.dot(v, v)", "torch.matmul(xr, xr.mT)"]:
    print(e, str(eval(e).grad_fn).split(" ")[0])
