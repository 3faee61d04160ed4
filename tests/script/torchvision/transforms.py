# Transforms of pictures and tensors, each result as a number made of all elements; grids; data sets of files.
import torch, numpy as np
import torchvision
from torchvision import transforms as T, datasets, utils
import torchvision.transforms.functional as F
from torchvision.transforms import v2
from PIL import Image
def h(x):
    x=np.asarray(x).astype(np.float64).reshape(-1); return float(f'{float((x*(np.arange(x.size)%97+1)).sum()):.5g}'), x.shape
a=np.random.RandomState(0).randint(0,256,(37,53,3)).astype(np.uint8)
im=Image.fromarray(a); t=F.to_tensor(im); u=F.pil_to_tensor(im)
print(h(t),h(u),h(F.to_pil_image(t)))
torch.manual_seed(0)
ts=[T.Resize(20),T.Resize((20,30)),T.Resize(20,T.InterpolationMode.BICUBIC),T.CenterCrop(24),T.CenterCrop(60),T.Pad(3,fill=5),T.Pad((1,2),padding_mode='reflect'),T.Pad(2,padding_mode='edge'),T.Pad(2,padding_mode='symmetric'),T.RandomCrop(30,padding=4),T.RandomResizedCrop(24),T.RandomHorizontalFlip(),T.RandomVerticalFlip(0.9),T.ColorJitter(.4,.4,.4,.1),T.Grayscale(),T.RandomGrayscale(0.5),T.RandomRotation(30),T.RandomAffine(20,(.1,.1),(.8,1.2),10),T.RandomPerspective(p=1),T.GaussianBlur(5),T.RandomInvert(1.),T.RandomSolarize(128,1.),T.RandomPosterize(3,1.),T.RandomAutocontrast(1.),T.RandomEqualize(1.),T.RandomAdjustSharpness(2,1.)]
for k in ts:
    for x in (im,u,t):
        if x is t and type(k).__name__ in('RandomPosterize','RandomEqualize'): continue
        if x is t and type(k).__name__=='RandomSolarize': k=T.RandomSolarize(.5,1.)
        print(k if x is im else '   ', h(k(x)))
n=T.Normalize((.5,.5,.5),(.2,.3,.4)); print(n,h(n(t)), h(T.RandomErasing(p=1.)(t)), h(T.RandomErasing(p=1.,value='random')(t)))
c=T.Compose([T.RandomApply([T.Resize(10)],p=.5),T.ToTensor(),T.Normalize((0.1307,), (0.3081,)),T.Lambda(lambda x:x*2)]); print(c.transforms[0], c.transforms[1:3], h(c(im)))
print([h(x) for x in T.FiveCrop(20)(im)], len(T.TenCrop(20)(im)))
print(h(utils.make_grid(torch.rand(10,1,5,7),nrow=4)), h(utils.make_grid(torch.rand(3,3,5,7),normalize=True,padding=1)))
path = __import__('os').path.join(__import__('tempfile').mkdtemp(), 'g.png'); utils.save_image(torch.rand(5,3,8,8),path,nrow=3); print(h(Image.open(path)))
d=datasets.FakeData(5,(3,8,8),transform=T.ToTensor()); print(h(d[2][0]),d[2][1]); print(d)
v=v2.Compose([v2.ToImage(),v2.ToDtype(torch.float32,scale=True),v2.Resize(16),v2.RandomHorizontalFlip(1.)]); print(h(v(im)))
x,y=v2.Compose([v2.ToImage(),v2.RandomCrop(20)])(im,3); print(h(x),y)
print(h(F.adjust_gamma(im,.7)),h(F.adjust_gamma(u,.7)),h(F.adjust_hue(u,.2)),h(F.adjust_hue(im,.2)),h(F.rotate(u,30,expand=True)),h(F.affine(im,10,[2,3],1.1,[5.])))
import os, struct, tempfile
root = tempfile.mkdtemp()
os.makedirs(root+'/MNIST/raw',exist_ok=True); r=np.random.RandomState(0)
for n,k in (('train',20),('t10k',8)):
    a=r.randint(0,256,(k,28,28)).astype(np.uint8); l=r.randint(0,10,k).astype(np.uint8)
    open(f'{root}/MNIST/raw/{n}-images-idx3-ubyte','wb').write(struct.pack('>IIII',0x803,k,28,28)+a.tobytes())
    open(f'{root}/MNIST/raw/{n}-labels-idx1-ubyte','wb').write(struct.pack('>II',0x801,k)+l.tobytes())
from torchvision import datasets, transforms
from torch.utils.data import DataLoader
d=datasets.MNIST(root,train=True,transform=transforms.Compose([transforms.ToTensor(),transforms.Normalize((0.1307,),(0.3081,))]))
print(len(d), d.classes[3]); torch.manual_seed(0)
for x,y in DataLoader(d,batch_size=7,shuffle=True): print(x.shape, x.mean(), y)
