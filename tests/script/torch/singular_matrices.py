# Singular matrices: what solve raises, and what solve_ex and inv_ex say instead.
import torch
A = torch.tensor([[1., 2.], [2., 4.]]); B = torch.ones(2)
S = torch.stack([A, torch.eye(2)])
for f in (lambda: torch.linalg.solve(A, B), lambda: torch.linalg.solve(S, torch.ones(2, 2, 1)), lambda: torch.linalg.solve_ex(A, B).info, lambda: torch.linalg.solve_ex(S, torch.ones(2, 2, 1)).info,
          lambda: torch.linalg.solve_ex(A, B, check_errors=True), lambda: torch.linalg.solve(A.to(torch.complex64), B.to(torch.complex64)), lambda: torch.linalg.solve_ex(torch.zeros(3, 3), torch.ones(3, 1)).info,
          lambda: torch.linalg.solve_ex(torch.eye(2), B), lambda: torch.linalg.solve(A, B[None, :], left=False), lambda: torch.linalg.inv_ex(A).info, lambda: torch.linalg.solve(torch.eye(2), B * float("inf"))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
