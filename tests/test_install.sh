#!/usr/bin/env bash
# test_install.sh -- what `make install` puts somewhere serves programs: by pkg-config, CMake and by hand, in C and C++; its names
# are the library's own; what is not used is not linked; `make uninstall` removes it. The program is that of docs/embed.md.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(dirname "${WEFT_BIN:-build/weft}")
root=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
to=$work/usr
passed=0 failed=0

check() { # NAME COMMAND..: it ends well
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name"
        sed 's/^/    /' "$work/log" | tail -20
    fi
}
skip() { echo "skipped: $1"; }

check 'make install' make BUILD="$build" PREFIX="$to" install
sed -n '/^```c$/,/^```$/p' docs/embed.md | sed '/^```/d' >"$work/serve.c"
check 'the example of docs/embed.md is there' grep -q wf_runner_run "$work/serve.c"

# A model: weights of two, a bias of one half.
cat >"$work/net.py" <<'PY'
import sys, torch
net = torch.nn.Linear(3, 1)
with torch.no_grad():
    net.weight.fill_(2.0)
    net.bias.fill_(0.5)
torch.jit.save(torch.jit.trace(net, torch.zeros(1, 3)), sys.argv[1])
PY
check 'a model is made' "$to/bin/weft" run "$work/net.py" "$work/net.weft"

strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
serves() { "$1" "$work/net.weft" forward 2 >"$work/out" && grep -q '^request 2: 12.5$' "$work/out"; }
export LD_LIBRARY_PATH=$to/lib PKG_CONFIG_PATH=$to/lib/pkgconfig
compile() { # shellcheck disable=SC2086
    ${CC:-cc} -std=c17 $strict -O2 "$@"
}
check 'static, by hand' compile -I"$to/include" -o "$work/static" "$work/serve.c" "$to/lib/libweft.a" -lm -lpthread -ldl -Wl,--gc-sections
check 'it serves' serves "$work/static"
check 'shared, by hand' compile -I"$to/include" -o "$work/shared" "$work/serve.c" -L"$to/lib" -lweft
check 'it serves' serves "$work/shared"
if command -v pkg-config >/dev/null; then # shellcheck disable=SC2046
    check 'by pkg-config' compile -o "$work/pc" "$work/serve.c" $(pkg-config --cflags --libs weft)
    check 'it serves' serves "$work/pc"
else skip 'no pkg-config'; fi
if command -v cmake >/dev/null; then
    cat >"$work/CMakeLists.txt" <<'CM'
cmake_minimum_required(VERSION 3.10)
project(serve C)
find_package(Weft 0.1 REQUIRED)
add_executable(by_cmake serve.c)
target_link_libraries(by_cmake Weft::weft)
add_executable(by_cmake_static serve.c)
target_link_libraries(by_cmake_static Weft::weft_static)
CM
    check 'find_package(Weft)' cmake -S "$work" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$to"
    check 'by CMake' cmake --build "$work/cmake"
    check 'it serves' serves "$work/cmake/by_cmake"
    check 'it serves' serves "$work/cmake/by_cmake_static"
    sed -i 's/Weft 0.1/Weft 9.9/' "$work/CMakeLists.txt"
    refused() { ! cmake -S "$work" -B "$work/cmake9" -DCMAKE_PREFIX_PATH="$to"; }
    check 'another version is refused' refused
else skip 'no CMake'; fi

# The headers in C++, and all that looks like a value in them.
cat >"$work/a.cc" <<'CC'
#include <weft.h>
#include <weft_dlpack.h>
static wf_status twice(wf_ctx *c, void *, const wf_tensor *in, int, wf_tensor *out, int)
{
    out[0] = wf_add(c, in[0], in[0]);
    return wf_ctx_status(c);
}
int main()
{
    wf_ctx *c = wf_ctx_new(nullptr);
    wf_function f = WF_FUNCTION(twice, nullptr, 1, 1, "twice");
    wf_text_options o = WF_TEXT_OPTIONS;
    wf_tensor x = wf_float(c, 2), y = WF_NONE, g = WF_NONE;
    wf_index ix[] = {wf_at_rest(), wf_at_new()};
    const char *text = "";
    wf_grad_call(c, &f, &x, 1, nullptr, 0, &y, 1, &g);
    wf_text(c, wf_index_get(c, g, ix, 2), WF_STYLE_NUMPY_STR, &o, &text);
    bool well = text[0] == '[' && text[1] == '2' && wf_abi_version() == WF_ABI_VERSION;
    wf_ctx_free(c);
    return well ? 0 : 1;
}
CC
for cxx in g++ clang++; do
    if command -v $cxx >/dev/null; then # shellcheck disable=SC2086
        check "$cxx, C++17" $cxx -std=c++17 $strict -I"$to/include" -o "$work/a.$cxx" "$work/a.cc" -L"$to/lib" -lweft
        check 'it runs' "$work/a.$cxx"
    else skip "no $cxx"; fi
done

# Beside the real dlpack.h, in either order, and without it.
cat >"$work/dl.h" <<'DL'
static inline int same(void)
{
    DLManagedTensor *m = 0;
    struct DLManagedTensorVersioned *v = 0;
    wf_array *a = 0;
    return wf_array_to_dlpack(0, 0, &m) == WF_ERR_ARG && wf_array_from_dlpack_versioned(0, v, &a) == WF_ERR_ARG && kDLCPU == 1;
}
int main(void) { return same() ? 0 : 1; }
DL
printf '#include <weft_dlpack.h>\n#include "dl.h"\n' >"$work/dl_alone.c"
printf '#include <weft_dlpack.h>\n#include <dlpack/dlpack.h>\n#include "dl.h"\n' >"$work/dl_before.c"
printf '#include <dlpack/dlpack.h>\n#include <weft_dlpack.h>\n#include "dl.h"\n' >"$work/dl_after.c"
real=
for place in ${DLPACK_INCLUDE:-} /usr/include /usr/local/include; do [ -f "$place/dlpack/dlpack.h" ] && real=$place && break; done
[ -n "$real" ] || skip 'no dlpack.h (libdlpack-dev, or DLPACK_INCLUDE)'
for program in dl_alone ${real:+dl_before dl_after}; do
    check "$program in C" compile -I"$to/include" ${real:+-isystem "$real"} -o "$work/$program" "$work/$program.c" -L"$to/lib" -lweft
    check 'it runs' "$work/$program"
    cp "$work/$program.c" "$work/$program.cc"
    command -v g++ >/dev/null || continue
    # shellcheck disable=SC2086
    check "$program in C++" g++ -std=c++17 $strict -I"$to/include" ${real:+-isystem "$real"} -o "$work/$program.x" "$work/$program.cc" -L"$to/lib" -lweft
done

# Names and sizes.
abi=$(sed -n 's/^.define WF_ABI_VERSION //p' include/weft.h)
soname() { readelf -d "$to/lib/libweft.so" | grep -q "SONAME.*libweft.so.$abi\]"; }
check 'the soname is the ABI number' soname
versioned() { ! nm -D --defined-only "$to/lib/libweft.so.$abi" | grep -v ' A ' | grep -qv " wf_[a-z0-9_]*@@WEFT_$abi$"; }
check 'every symbol is a public name with its version' versioned
own_names() { ! nm -g --defined-only "$to/lib/libweft.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^wfi?_/' | grep -q .; }
check 'libweft.a has no name that could be a program'\''s' own_names
no_debug() { ! readelf -S "$to/lib/libweft.so" | grep -q '\.debug_info'; }
check 'what is installed is stripped' no_debug
if [ -z "${WEFT_SAN:-}" ]; then
    cat >"$work/train.c" <<'TC'
#include <weft.h>
int main(void)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *net = wf_nn_linear(c, NULL, 4, 1, true);
    wf_optim *opt = wf_sgd(c, net, 0.1, 0, false, 0);
    wf_backward(c, wf_mean(c, wf_square(c, wf_forward_one(c, net, wf_ones(c, WF_F32, (int64_t[]){2, 4}, 2))), NULL, 0, false),
                WF_NONE, 0);
    wf_optim_step(c, opt);
    return wf_ctx_status(c);
}
TC
    check 'a trainer, static' compile -I"$to/include" -o "$work/train" "$work/train.c" "$to/lib/libweft.a" -lm -lpthread -ldl -Wl,--gc-sections
    check 'it trains' "$work/train"
    small() { strip -o "$work/s" "$1" && n=$(stat -c %s "$work/s") && echo "$n bytes, at most $2" && [ "$n" -le "$2" ]; }
    check 'the server is small' small "$work/static" 2500000
    check 'the trainer is small' small "$work/train" 2750000
    # Without optional features: the objects that know of them, made anew, before the library's own.
    if [ -f "$build/libweft-all.a" ]; then
        check 'make FEATURES=' make BUILD="$work/few" FEATURES= featured
        for program in serve train; do # shellcheck disable=SC2046
            check "$program without optional features" compile -I"$to/include" -o "$work/few_$program" "$work/$program.c" \
                $(find "$work/few" -name '*.o') "$build/libweft-all.a" -lm -lpthread -ldl -Wl,--gc-sections
        done
        check 'it serves' serves "$work/few_serve"
        check 'it trains' "$work/few_train"
        check 'the server without optional features is smaller' small "$work/few_serve" 1250000
        check 'the trainer without optional features is smaller' small "$work/few_train" 1450000
    fi
    # Readers of other systems' files come with wf_model_import.
    cat >"$work/foreign.c" <<'FC'
#include <stdio.h>
#include <weft.h>
#ifdef NAMED
#define LOAD(cx, path, m) wf_model_import(cx, path, NULL, m)
#else
#define LOAD(cx, path, m) wf_model_load(cx, path, m)
#endif
int main(int argc, char **argv)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    wf_status status = argc > 1 ? LOAD(cx, argv[1], &m) : WF_ERR_ARG;
    puts(status ? wf_ctx_message(cx) : "read");
    wf_model_free(m);
    wf_ctx_free(cx);
    return status != WF_OK;
}
FC
    check 'a static program that loads' compile -I"$to/include" -o "$work/foreign" "$work/foreign.c" "$to/lib/libweft.a" -lm -lpthread -ldl -Wl,--gc-sections
    no_reader() { ! "$work/foreign" "$1" >"$work/out" && grep -q 'net.onnx.*names wf_model_import' "$work/out"; }
    check 'says how to get a reader of ONNX files' no_reader tests/onnx/net.onnx
    check 'reads its own' "$work/foreign" "$work/net.weft"
    check 'a static program that imports' compile -DNAMED -I"$to/include" -o "$work/named" "$work/foreign.c" "$to/lib/libweft.a" -lm -lpthread -ldl -Wl,--gc-sections
    check 'reads an ONNX file' "$work/named" tests/onnx/net.onnx
    unused() { ! nm "$1" | grep -q 'wfi_digit\|wfi_sc_vm_new\|wf_nn_googlenet\|wfi_onnx_format'; }
    check 'neither has the script engine, demonstration networks or ONNX' unused "$work/static"
    check 'neither has the script engine, demonstration networks or ONNX' unused "$work/train"
fi

# Debian's packages, where its tools are.
if [ -n "${WEFT_LONG:-}" ] && command -v dh >/dev/null && command -v lintian >/dev/null; then
    check 'make deb' make BUILD="$build" deb
    check 'lintian has nothing to say' lintian --fail-on error,warning "$build"/deb/*.deb
fi

completes() { for f in bash-completion/completions/weft fish/vendor_completions.d/weft.fish zsh/site-functions/_weft; do grep -q optimizer "$to/share/$f" || return 1; done; }
check 'completions are installed' completes
check 'make uninstall' make BUILD="$build" PREFIX="$to" uninstall
nothing() { ! find "$to" -type f -o -type l | grep .; }
check 'nothing is left' nothing
cd "$root" || exit 1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
