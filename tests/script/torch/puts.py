# Numbers put at places of a tensor, by every mixture of indices, into its own memory or under a history.
import itertools

import torch

torch.manual_seed(0)
def show(name, f):
    try: r = f()
    except Exception as e: r = type(e).__name__
    print(name, r)
keys = {"i": lambda n: torch.tensor([0, n-1, 1, 0]), "s": lambda n: slice(None), "r": lambda n: slice(None,None,2) , "n": lambda n: 1, "m": lambda n: torch.arange(n)%2==0, "N": lambda n: None, "neg": lambda n: torch.tensor([-1,0,-2,0])}
shape=(3,4,5)
for dt in (torch.float32, torch.int64, torch.float16, torch.bool, torch.uint8, torch.complex64):
    for combo in itertools.product("isrnmN", repeat=3 if dt == torch.float32 else 2):
        base=torch.arange(60).reshape(shape).to(dt)
        k=[]; ax=0
        for c in combo:
            if c=="N": k.append(None)
            else: k.append(keys[c](shape[ax])); ax+=1
        k=tuple(k)
        for tr in (False, True):
            x=base.clone()
            if tr: x=base.clone().transpose(0,2).contiguous().transpose(0,2)
            try:
                got=x[k]
                v=(torch.arange(got.numel()).reshape(got.shape)%7).to(dt)
                x[k]=v
                y=base.clone(); y[k]=torch.ones((),dtype=dt)
                ok=(x.to(torch.complex64)*torch.arange(60).reshape(shape)).sum().item(), y.to(torch.complex64).sum().item()
            except Exception as e: ok=type(e).__name__
            print(dt, "".join(combo), tr, ok)
x=torch.zeros(4,3); i=torch.tensor([0,2,0])
print(x.index_add_(0,i,torch.ones(3,3)), x.index_fill_(1,torch.tensor([1]),5.), x.index_copy_(0,torch.tensor([3]),torch.ones(1,3)*9))
print(x.scatter_(1,torch.tensor([[0,2]]),7.), x.scatter_add_(0,torch.tensor([[0,0,0]]),torch.ones(1,3)), x.scatter_(0,torch.tensor([[1,1,1]]),torch.ones(1,3)*3,reduce="multiply"))
print(x.index_put_((i,i),torch.tensor([1.,2.,3.]),accumulate=True), x.index_put_((torch.tensor([1]),),torch.tensor(-1.)))
print(x.t().index_put_((torch.tensor([1]),),torch.tensor(-4.)), x)
x[i]=x[torch.tensor([1,1,3])]; print(x)
x[[0,1]]=x[[1,0]]; print(x)
w=torch.ones(3,requires_grad=True); z=torch.zeros(5); z[torch.tensor([0,2,4])]=w*2; print(z, z.grad_fn is not None); z.sum().backward(); print(w.grad)
a=torch.zeros(5); b=a[1:4]; b[torch.tensor([0,2])]=3; print(a, a._version)
p=torch.ones(4,requires_grad=True)
show("leaf", lambda: p.__setitem__(torch.tensor([0]),2.))
with torch.no_grad(): p[torch.tensor([0])]=2.
print(p)
show("range", lambda: a.__setitem__(torch.tensor([9]),2.))
show("shape", lambda: a.__setitem__(torch.tensor([1,2]),torch.ones(3)))
q=(p*2); q[torch.tensor([1])]=0; q.sum().backward(); print(p.grad)
f=torch.zeros(3,dtype=torch.int64); f[torch.tensor([1])]=2.7; print(f)
w=torch.ones(3,requires_grad=True)
z=torch.zeros(5); z[0:3]=w; print(z)
z=torch.zeros(5); z[torch.tensor([0,1,2])]=w; print(z)
z=torch.zeros(5); z[z==0]=w[0]; print(z)
z=torch.zeros(5); z.index_add_(0,torch.tensor([0,1,2]),w); print(z)
z=torch.zeros(5); z.scatter_(0,torch.tensor([0,1,2]),w); print(z)
z=torch.zeros(5); z.index_copy_(0,torch.tensor([0,1,2]),w); print(z)
z=torch.zeros(5)+w[0]; z.index_fill_(0,torch.tensor([0,1,2]),2.); print(z)
z=torch.zeros(5)+w[0]; z.masked_fill_(z>0,2.); print(z)
z=torch.zeros(5); z.index_put_((torch.tensor([0,1,2]),),w); print(z)
z=torch.zeros(5)+w[0]; z[1]=4; print(z)
z=torch.zeros(5)+w[0]; z.add_(1); print(z); z.zero_(); print(z); z.mul_(w[0]); print(z); z.clamp_(0,1); print(z)
z=torch.zeros(5)+w[0]; z[1:].add_(1); print(z)
z=torch.zeros(5)+w[0]; z[1:]*=2; print(z)
z=torch.zeros(5); z.scatter_add_(0,torch.tensor([0,1,2]),w); print(z)
try: torch.zeros(3,4)[torch.tensor([0,1,2]),torch.tensor([0,1])]
except IndexError as e: print(e)
