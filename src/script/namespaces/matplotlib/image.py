# matplotlib.image
from matplotlib.artists import AxesImage
from matplotlib.pyplot import imread, imsave
