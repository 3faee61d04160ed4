import torch
for f in (torch.hann_window, torch.hamming_window, torch.blackman_window, torch.bartlett_window):
    for n in (0, 1, 2, 5, 8):
        print(f.__name__, n, f(n), f(n, periodic=False, dtype=torch.float64))
print(torch.hamming_window(4, True, 0.6), torch.hamming_window(4, True, 0.6, 0.3))
for bad in (lambda: torch.hann_window(-1), lambda: torch.hann_window(3, dtype=torch.int64)):
    try: bad()
    except RuntimeError as e: print(str(e).split(", got")[0])
