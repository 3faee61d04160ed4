# torch.nn.modules.dropout
from torch.nn.modules.linear import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout, _DropoutNd
