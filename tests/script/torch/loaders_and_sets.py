# Data sets and loaders: what is refused, samples fetched at once.
import torch, random, numpy as np
from torch.utils.data import *
torch.manual_seed(0)
class DS(Dataset):
    def __init__(s, n): s.n = n
    def __len__(s): return s.n
    def __getitem__(s, i): return {'x': torch.full((2,), float(i)), 'y': i, 'n': f's{i}', 't': (i, np.float64(i)), 'a': np.arange(2)}
dl = DataLoader(DS(5), batch_size=2); 
for b in dl: print(b)
print(len(dl), len(DataLoader(DS(5), 2, drop_last=True)))
print([b['y'].tolist() for b in DataLoader(DS(6), 2, shuffle=True)]); print([b['y'].tolist() for b in DataLoader(DS(6), 2, shuffle=True, generator=torch.Generator().manual_seed(3))])
print([b['y'].tolist() for b in DataLoader(DS(6), 4, sampler=WeightedRandomSampler([0.1, 0.9, 0.4, 0, 0, 0], 6))]); print(list(BatchSampler(SequentialSampler(range(5)), 2, False)), list(SubsetRandomSampler([3, 1, 2])))
print([b for b in DataLoader(list(range(5)), batch_size=None)]); print([b for b in DataLoader(range(6), batch_sampler=[[0, 1], [2], [3, 4, 5]])])
def collate(b): return torch.nn.utils.rnn.pad_sequence(b, batch_first=True), [len(x) for x in b]
print(list(DataLoader([torch.ones(n) for n in (3, 1, 2)], 2, collate_fn=collate)))
class It(IterableDataset):
    def __iter__(s): return iter(range(5))
print(list(DataLoader(It(), 2))); 
a, b = random_split(DS(10), [7, 3]); print(len(a), len(b), a.indices); print([len(q) for q in random_split(range(10), [0.5, 0.25, 0.25])])
c = ConcatDataset([list(range(3)), list(range(10, 12))]); print(len(c), c[3], c[-1]); print((DS(2) + DS(3)).cumulative_sizes); s = Subset(list('abcdef'), [1, 3]); print(list(s))
td = TensorDataset(torch.arange(4), torch.arange(4) * 2); print(td[1], td[1:3]); print(next(iter(DataLoader(td, 3)))); print(len(ChainDataset([It(), It()])._ if 0 else list(ChainDataset([It(), It()]))))
try: TensorDataset(torch.ones(2), torch.ones(3))
except Exception as e: print(type(e).__name__, e)
for kw in (dict(batch_size=2, batch_sampler=[[0]]), dict(shuffle=True, sampler=SequentialSampler(range(3))), dict(batch_size=None, drop_last=True), dict(num_workers=-1), dict(batch_size=0), dict(timeout=-1), dict(prefetch_factor=2)):
    try: DataLoader(DS(3), **kw); print('ok')
    except Exception as e: print(type(e).__name__, e)
try: list(DataLoader([torch.ones(2), torch.ones(3)], 2))
except Exception as e: print(type(e).__name__, str(e))
try: list(DataLoader([object(), object()], 2))
except Exception as e: print(type(e).__name__, str(e)[:120])
try: DataLoader(It(), shuffle=True)
except Exception as e: print(type(e).__name__, e)
from torch.utils.data import default_collate, get_worker_info
print(default_collate([(1, 2.5), (3, 4.5)]), default_collate([{'a': 'x'}, {'a': 'y'}]), get_worker_info())
from collections import namedtuple
Pt = namedtuple('Pt', 'x y'); print(default_collate([Pt(1, 2), Pt(3, 4)]), default_collate([[1, 2], [3, 4]]), default_collate([None]) if 0 else '')
ds = StackDataset(list(range(3)), list('abc')); print(ds[1], len(ds)); ds = StackDataset(u=list(range(3)), v=list('abc')); print(ds[2])
d = DataLoader(DS(4), 2); it = iter(d); next(it); next(it)
try: next(it)
except StopIteration: print('stop')
print(d.batch_size, type(d.sampler).__name__, d.num_workers, d.dataset is not None, type(d.batch_sampler).__name__)
g = torch.Generator(); g.manual_seed(0); print(list(RandomSampler(range(4), generator=g)), list(RandomSampler(range(3), replacement=True, num_samples=5, generator=g)))
from torch.utils.data.distributed import DistributedSampler
print(list(DistributedSampler(range(7), 3, 1, shuffle=False)), list(DistributedSampler(range(7), 3, 1, shuffle=True, seed=1, drop_last=True)))
class W(DS):
    def __getitems__(s, idx): print('items', idx); return [s[i]['y'] for i in idx]
print(list(DataLoader(W(3), 2)))
