# torch.fx._defaults -- functions of torch.nn.functional whose calls PyTorch writes down with every argument: those by position, then all
# others by name. Rows: names; how many are by position; the others and what they are when left out.
_ROWS = """
adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d \
adaptive_max_pool3d_with_indices; 2; \
return_indices=False
affine_grid; 2; align_corners=None
alpha_dropout feature_alpha_dropout; 1; p=0.5, training=False, inplace=False
batch_norm; 3; weight=None, bias=None, training=False, momentum=0.1, eps=1e-05
binary_cross_entropy multilabel_soft_margin_loss; 2; weight=None, size_average=None, reduce=None, reduction='mean'
binary_cross_entropy_with_logits; 2; weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None
celu elu; 1; alpha=1.0, inplace=False
cosine_embedding_loss margin_ranking_loss; 3; margin=0, size_average=None, reduce=None, reduction='mean'
cross_entropy; 2; weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0
ctc_loss; 4; blank=0, reduction='mean', zero_infinity=False
dropout dropout1d dropout2d dropout3d; 1; p=0.5, training=True, inplace=False
embedding; 2; padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
embedding_bag; 2; \
offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', sparse=False, per_sample_weights=None, \
include_last_offset=False, padding_idx=None
fold; 3; dilation=1, padding=0, stride=1
fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices; 2; \
output_size=None, output_ratio=None, return_indices=False, _random_samples=None
gaussian_nll_loss; 3; full=False, eps=1e-06, reduction='mean'
glu; 1; dim=-1
grid_sample; 2; mode='bilinear', padding_mode='zeros', align_corners=None
group_norm layer_norm; 2; weight=None, bias=None, eps=1e-05
gumbel_softmax; 1; tau=1, hard=False, eps=1e-10, dim=-1
hardsigmoid hardswish mish relu relu6 selu silu; 1; inplace=False
hardtanh; 1; min_val=-1.0, max_val=1.0, inplace=False
hinge_embedding_loss; 2; margin=1.0, size_average=None, reduce=None, reduction='mean'
huber_loss; 2; reduction='mean', delta=1.0, weight=None
instance_norm; 1; running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05
interpolate; 1; size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, antialias=False
kl_div; 2; size_average=None, reduce=None, reduction='mean', log_target=False
l1_loss multilabel_margin_loss soft_margin_loss; 2; size_average=None, reduce=None, reduction='mean'
leaky_relu; 1; negative_slope=0.01, inplace=False
local_response_norm; 2; alpha=0.0001, beta=0.75, k=1.0
log_softmax softmax softmin; 1; dim=None, _stacklevel=3, dtype=None
lp_pool1d lp_pool2d lp_pool3d; 3; stride=None, ceil_mode=False
max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices; 2; \
stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
max_unpool1d max_unpool2d max_unpool3d; 3; stride=None, padding=0, output_size=None
mse_loss; 2; size_average=None, reduce=None, reduction='mean', weight=None
multi_margin_loss; 2; p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean'
nll_loss; 2; weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'
normalize; 1; p=2.0, dim=1, eps=1e-12, out=None
pad; 2; mode='constant', value=None
poisson_nll_loss; 2; log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'
rms_norm; 2; weight=None, eps=None
rrelu; 1; lower=0.125, upper=0.3333333333333333, training=False, inplace=False
smooth_l1_loss; 2; size_average=None, reduce=None, reduction='mean', beta=1.0
threshold; 3; inplace=False
triplet_margin_loss; 3; margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, reduction='mean'
triplet_margin_with_distance_loss; 3; distance_function=None, margin=1.0, swap=False, reduction='mean'
unfold; 2; dilation=1, padding=0, stride=1
"""


def _read(row):
    names, count, others = row.split("; ")
    return [(n, (int(count), eval(f"dict({others})"))) for n in names.split()]


DEFAULTS = dict([pair for row in _ROWS.strip().split("\n") for pair in _read(row)])
