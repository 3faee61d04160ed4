"""export_peer.py -- exported C beside that of another generator of C, emx-onnx-cgen (PyPI), from the same ONNX files, on one thread.

    python bench/export_peer.py WEFT FOLDER     with torch, torchvision, onnx and emx-onnx-cgen; WEFT is the command, FOLDER is made

Ours is compiled as its Makefile says, theirs by cc -O3 -march=native -ffast-math; milliseconds of processor time, the best of some calls.
"""
import os
import subprocess
import sys

import torch
import torchvision

MAIN = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec * 1e3 + 1e-6 * (double)t.tv_nsec; }
static float x[%d], y[%d];
%s
int main(void)
{
    double best = 1e9;
    start();
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = sinf(0.37f * (float)i);
    for (int i = 0; i < 7; i++) { double t = now(); call(); t = now() - t; best = t < best ? t : best; }
    printf("%%.3f %%.6g\n", best, (double)y[5]);
}
"""
OURS = """
#include "%s.h"
static net_state *s; static void *arena;
static void start(void)
{
    FILE *f = fopen("net.bin", "rb"); char *b = malloc(NET_BYTES);
    s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64); arena = aligned_alloc(64, (NET_ARENA + 127) / 64 * 64);
    if (!f || fread(b, 1, NET_BYTES, f) != NET_BYTES || net_load(s, b, NET_BYTES)) exit(1);
}
static void call(void) { if (net_main(s, x, y, arena)) exit(1); }
"""
THEIRS = """
_Bool model_load(const char *path);
void model(const void *x, void *y);
static void start(void) { if (!model_load("model.bin")) exit(1); }
static void call(void) { model(x, y); }
"""
CC = "cc -std=gnu11 -O3 -w "
OUR_OPTIONS = "-ffp-contract=fast -fno-math-errno -fno-trapping-math"


class Outputs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.LSTM(256, 256)

    def forward(self, x):
        return self.net(x)[0]


def shell(command, where):
    return subprocess.run(command, shell=True, cwd=where, check=True, capture_output=True, text=True).stdout


def measure(weft, name, model, shape, folder):
    os.makedirs(folder, exist_ok=True)
    x = torch.zeros(shape)
    out = model(x).numel()
    torch.onnx.export(model, (x,), os.path.join(folder, "net.onnx"), dynamo=False, opset_version=17)
    program = shell(f"{weft} info net.onnx | sed -n 's/^  \\([a-z_]*\\)(.*/\\1/p' | head -1", folder).strip()
    shell(f"{weft} export net.onnx --weights=blob --name=net -o . && emx-onnx-cgen compile --restrict-arrays net.onnx theirs.c", folder)
    for who, text in (("ours", OURS % "net"), ("them", THEIRS)):
        with open(os.path.join(folder, f"{who}_main.c"), "w") as f:
            f.write(MAIN % (x.numel(), out, text.replace("net_main", f"net_{program}")))
    shell(f"{CC} {OUR_OPTIONS} net.c ours_main.c -o ours -lm && {CC} -march=native -ffast-math theirs.c them_main.c -o them -lm", folder)
    a, b = shell("./ours", folder).split(), shell("./them", folder).split()
    if abs(float(a[1]) - float(b[1])) > 1e-4 * (1 + abs(float(a[1]))):
        sys.exit(f"{name}: {a[1]} is not {b[1]}")
    print(f"{name:12} weft export {a[0]} ms, emx-onnx-cgen {b[0]} ms: {float(b[0]) / float(a[0]):.1f} times as fast  (y[5] {a[1]} {b[1]})")


with torch.no_grad():
    where = sys.argv[2]
    measure(sys.argv[1], "googlenet", torchvision.models.googlenet(weights=None, init_weights=False).eval(), (1, 3, 224, 224), os.path.join(where, "googlenet"))
    measure(sys.argv[1], "lstm", Outputs().eval(), (128, 32, 256), os.path.join(where, "lstm"))
