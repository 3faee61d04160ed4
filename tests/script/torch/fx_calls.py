# What torch.fx writes of functions of torch.nn.functional: calls with what they need, and with one more by position and by name.
import torch
import torch.fx
import torch.nn.functional as F

_KINDS = (("relu celu elu selu silu mish hardswish hardsigmoid hardtanh leaky_relu relu6 rrelu glu softmax softmin log_softmax gumbel_softmax normalize "
           "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout instance_norm interpolate", 1),
          ("affine_grid adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d binary_cross_entropy binary_cross_entropy_with_logits cross_entropy embedding "
           "embedding_bag grid_sample group_norm hinge_embedding_loss huber_loss kl_div l1_loss layer_norm "
           "local_response_norm max_pool1d max_pool2d max_pool3d mse_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss pad "
           "poisson_nll_loss rms_norm smooth_l1_loss soft_margin_loss unfold", 2),
          ("batch_norm cosine_embedding_loss fold gaussian_nll_loss lp_pool1d lp_pool2d margin_ranking_loss max_unpool1d max_unpool2d max_unpool3d "
           "triplet_margin_loss triplet_margin_with_distance_loss", 3), ("ctc_loss", 4))
for names, count in _KINDS:
    for name in names.split():
        fn = getattr(F, name)
        print(torch.fx.symbolic_trace({1: lambda a: fn(a), 2: lambda a, b: fn(a, b), 3: lambda a, b, c: fn(a, b, c),
                                       4: lambda a, b, c, d: fn(a, b, c, d)}[count]).code.strip().split("\n")[1].strip())
for f in (lambda x: F.softmax(x, 1), lambda x: F.max_pool2d(x, 2, 2), lambda x: F.max_pool2d(x, 3, padding=1), lambda x: F.dropout(x, 0.1, training=False),
          lambda x: F.interpolate(x, scale_factor=2), lambda x: F.pad(x, (1, 2), value=3.0), lambda x: F.layer_norm(x, (3,)), lambda x: F.avg_pool2d(x, 2),
          lambda x: F.gelu(x), lambda x: F.linear(x, x), lambda x: F.conv2d(x, x), lambda x: F.adaptive_avg_pool2d(x, 1), lambda x: F.one_hot(x, 3)):
    print(torch.fx.symbolic_trace(f).code.strip().split("\n")[1].strip())
x = torch.arange(12.0).reshape(3, 4)
g = torch.fx.symbolic_trace(lambda x: F.cross_entropy(F.layer_norm(F.leaky_relu(F.normalize(F.softmax(x, 1))), (4,)), F.pad(x, (0, 0), value=1.0)))
print(g(x))

# Functions and methods are called as they are named, other names of one too.
for home, names in ((torch, "arctan absolute clip divide greater_equal concat swapaxes row_stack negative isnan vdot"), (torch.linalg, "svd norm solve"),
                    (torch.special, "expit gammaln log1p"), (torch.fft, "rfft fftshift"), (F, "lp_pool2d adaptive_avg_pool2d relu"),
                    (torch.Tensor, "add_ arctan_ clip normal_ float swapdims_ multiply"), (torch.nn.init, "xavier_normal normal_")):
    for name in names.split():
        print(name, getattr(home, name).__name__)
print(torch.arctan is torch.atan, torch.arctan(torch.tensor([1.0])), torch.tensor([4.0]).divide_(2), torch.nn.functional.lp_pool2d(x[None], 2, 2))
print(torch.fx.symbolic_trace(lambda x: torch.clip(torch.arctan(x), 0, 1)).code)

# A graph module has a class of its own, which bears its name.
class Foo(torch.nn.Module):
    def __init__(self): super().__init__(); self.l=torch.nn.Linear(2,3)
    def forward(self,x): return self.l(x)
m=torch.fx.symbolic_trace(Foo())
print(type(m).__name__, isinstance(m, torch.fx.GraphModule), type(m) is torch.fx.GraphModule)
print(m)
def f(x): return x+1
g=torch.fx.symbolic_trace(f)
print(type(g).__name__, g, g._get_name())
h=torch.fx.GraphModule(Foo(), torch.fx.Tracer().trace(Foo()))
print(type(h).__name__)
k=torch.fx.GraphModule({}, g.graph, class_name='Bar')
print(type(k).__name__, k, type(m).__mro__[1].__name__, type(m) is type(h), m.__class__.__qualname__)
import copy
import pickle
c=copy.deepcopy(m); print(type(c).__name__); c=copy.copy(m); print(type(c).__name__)
print(m.code)
p=pickle.loads(pickle.dumps(m)); print(type(p).__name__)
