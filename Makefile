# Weft. `make help` lists what there is. Everything is built under build/.
BUILD   ?= build
CC      ?= cc
PREFIX  ?= /usr/local
OPT     ?= -O2
V       ?= 0
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
SAN     ?=

ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif
MAKEFLAGS += --no-print-directory
Q := $(if $(filter 0,$(V)),@,)

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wvla
CFLAGS  ?= $(OPT) -g
# A program that is linked with --gc-sections gets what it uses. No unwind tables, a tenth of it: C throws nothing (debuggers have -g).
SECTION := -ffunction-sections -fdata-sections $(if $(SAN),,-fno-asynchronous-unwind-tables -fno-unwind-tables)
# GCC clears structs of 100 to 400 bytes by `rep stos`, which takes longer to start than the stores take: every call of a script's
# function, every native and every tensor has one.
STORES  := -mmemset-strategy=unrolled_loop:384:noalign,libcall:-1:noalign -mmemcpy-strategy=unrolled_loop:384:noalign,libcall:-1:noalign
STORES  := $(shell $(CC) $(STORES) -x c -E /dev/null >/dev/null 2>&1 && echo '$(STORES)')
ALL     := -std=c17 -D_GNU_SOURCE -Iinclude -Isrc $(WARN) $(CFLAGS) $(STORES) -fPIC -fvisibility=hidden \
           -ffp-contract=off $(SECTION) -MMD -MP $(SAN)
LIBS    := -lm -lpthread -ldl

ARCH    := $(shell $(CC) -dumpmachine | cut -d- -f1)
# What a build may leave out, by `make FEATURES="avx2 onnx"`: kernels for instruction sets (the base is always there, avx512
# needs avx2), ONNX files, GPUs. docs/embed.md says what each weighs.
FEATURES ?= avx2 avx512 onnx cuda
FEATURE_LIST := avx2 avx512 onnx cuda
ifneq ($(filter-out $(FEATURE_LIST),$(FEATURES)),)
$(error FEATURES: there is no $(filter-out $(FEATURE_LIST),$(FEATURES)); there are $(FEATURE_LIST))
endif
WITHOUT := $(filter-out $(FEATURES),$(FEATURE_LIST))
ISAS    := 0
ifeq ($(ARCH),x86_64)
ISAS    := 0 $(if $(filter avx2,$(FEATURES)),1 $(if $(filter avx512,$(FEATURES)),2))
endif
# Most loops of kernels are written as vectors: -O3 makes them larger by half and no faster, but for a few. The base beside better
# ones is for machines of before 2013: it is neither fast nor large. Nor are convolutions, attention and factorisations of f64 larger than
# they must be.
KVECT   := -O2 $(if $(findstring clang,$(shell $(CC) --version)),,-ftree-vectorize -fvect-cost-model=dynamic)
KMAP    := $(if $(findstring clang,$(shell $(CC) --version)),,--param vect-epilogues-nomask=0)
KOPT     = $(if $(and $(filter 0,$(1)),$(word 2,$(ISAS))),-Os -DKERNEL_SMALL,$(strip \
             $(if $(filter k_map_f32 k_pool_f32 k_attention_f32,$(2)),-O3,$(if $(filter k_attention_f64 k_conv_f64 k_linalg_f64,$(2)),-Os,$(KVECT))) \
             $(if $(filter k_map_%,$(2)),$(KMAP)) $(if $(filter k_attention_f32 k_linalg_%,$(2)),-fno-inline-functions))) $(if $(SAN),-O1)
KERNEL  := -std=c17 -Iinclude -Isrc $(WARN) -Wno-pass-failed -g -fPIC -fvisibility=hidden -ffp-contract=fast $(SECTION) -MMD -MP $(SAN)
ISA_0   := -DKERNEL_ISA=0
ISA_1   := -DKERNEL_ISA=1 -mavx2 -mfma -mf16c
ISA_2   := -DKERNEL_ISA=2 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c -mprefer-vector-width=512

KSRC    := $(wildcard src/kernels/k_*.c)
SRC     := $(filter-out $(KSRC) src/world/plugin_%,$(wildcard src/base/*.c src/ir/*.c src/op/*.c src/transform/*.c src/opt/*.c \
             src/kernels/*.c src/codegen/*.c src/runtime/*.c src/world/*.c src/cuda/*.c src/compile/*.c src/io/*.c src/torchfile/*.c src/export/*.c \
             src/stablehlo/*.c src/tensor/*.c src/random/*.c src/print/*.c src/functions/*.c src/higher/*.c src/onnx/*.c src/tensorflow/*.c src/torchscript/*.c src/nn/*.c src/script/*.c src/script/modules/*.c src/script/engine/*.c))
SRC     := $(filter-out $(if $(filter onnx,$(WITHOUT)),src/onnx/% src/tensorflow/% src/torchscript/%) $(if $(filter cuda,$(WITHOUT)),src/cuda/%),$(SRC))
GEN     := $(patsubst %,$(BUILD)/gen/%.c,namespaces prelude plain gpu routine)
PRELUDE := src/base/special.h src/kernels/vec.h src/kernels/vmath.h src/codegen/lanes.h
PLAIN   := src/base/special.h src/codegen/plain.h
GPU     := src/codegen/gpu.h
NATIVE  := src/cuda/conv_args.h src/cuda/native.cuh src/cuda/products.cuh src/cuda/lines.cuh src/cuda/attention.cuh src/cuda/windows.cuh src/cuda/convs.cuh src/cuda/ffts.cuh
# factors.h first: what a header has before its first section is of none.
ROUTINES := src/op/factors.h src/op/factors_complex.h src/op/factors_eig.h src/export/elements.in src/export/products.in
NSPY    := $(shell find src/script/namespaces -name '*.py' | LC_ALL=C sort)
# weft serve, where libmicrohttpd is: HTTP=no leaves it out.
HTTP    ?= $(shell pkg-config --exists 'libmicrohttpd >= 0.9.70' 2>/dev/null && echo yes || echo no)
HTTPSRC := $(if $(filter yes,$(HTTP)),$(wildcard src/serve/*.c))
CLISRC  := $(wildcard src/pages/*.c src/train/*.c src/cli/*.c) $(HTTPSRC)
PAGES   := train show profile serve
OBJ     := $(SRC:%.c=$(BUILD)/%.o) $(GEN:.c=.o) $(foreach i,$(ISAS),$(KSRC:%.c=$(BUILD)/%.$(i).o))
CLIOBJ  := $(CLISRC:%.c=$(BUILD)/%.o) $(BUILD)/gen/pages.o
# Optional: the engine over MPI, where its compiler is (tools/setup mpi).
MPICC   ?= $(shell command -v mpicc 2>/dev/null)
PLUGINS := $(if $(MPICC),$(BUILD)/weft_mpi.so)
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
BENCHES := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/bench_*.c))

.PHONY: all run-tests agree check-clang coverage bench-gpu help test test-gpu tests test-long verify-math demo examples bench san san-part san-threads threaded fuzz fuzz-long format tidy docs install uninstall wheel dist deb clean bless
all: $(BUILD)/weft $(BUILD)/libweft.a $(BUILD)/libweft.so $(PLUGINS)

help:
	@echo 'make            build/weft, build/libweft.a and build/libweft.so'
	@echo 'make demo       a tour of what works, on embedded data'
	@echo 'make test       all tests; installs what it needs; ends with "N passed, N failed"'
	@echo 'make test-long  the same with more random programs and longer fuzzing'
	@echo 'make bench-gpu  the rows of docs/gpu.md on the GPU of this machine (ROWS=a,b)'
	@echo 'make test-gpu   programs on the GPU of this machine against the host'
	@echo 'make agree      random calls of numpy, jax, torch and tf compared with the real ones (CALLS=n SEEDS=a:b)'
	@echo 'make verify-math  elementwise functions of every f32 there is, in ulp (half an hour)'
	@echo 'make FEATURES="avx2 onnx"  a smaller library: without the others of avx2 avx512 onnx cuda'
	@echo 'make examples   build/examples/*, C programs that use the library'
	@echo 'make bench      speed, side by side with other systems where they are present (ROWS=a,b THREADS=1,2)'
	@echo 'make san        the tests under ASan+UBSan, then TSan (SHARD=K/N: a part of the first); make san-threads: TSan alone'
	@echo 'make san-part   what every `make test` does of it: SAN_PART=K/24 of the programs, by clang, SAN_SECONDS each'
	@echo 'make coverage   the tests, and how many branches of base, ir, op and io they take'
	@echo 'make fuzz       random programs and libFuzzer targets until stopped (SECONDS=n)'
	@echo 'make fuzz-long  every target for an hour (SECONDS=n), with counts'
	@echo 'make bless      rewrite the expected parts of golden files; review the diff'
	@echo 'make format     clang-format over the tree'
	@echo 'make tidy       clang-tidy over the library'
	@echo 'make install    into PREFIX (default /usr/local), honouring DESTDIR; make uninstall removes it'
	@echo 'make wheel      build/wheel/*.whl, the Python package with the library inside (PYTHON=python3)'
	@echo 'make dist       build/dist/weft-VERSION.tar.gz, the tree of the last commit'
	@echo 'make deb        build/deb/*.deb: weft, libweft1, libweft-dev (needs debhelper)'
	@echo 'make clean      remove build/'

$(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL) -c $< -o $@

# The few objects that know what is left out; made anew when that changes.
FEATURED := $(patsubst %,$(BUILD)/src/%.o,kernels/kernels_select kernels/nd_select kernels/rows kernels/attention kernels/codes runtime/speed \
              runtime/device io/code ir/public script/engine/files_tf)
$(FEATURED): ALL += $(foreach f,$(WITHOUT),-DWEFT_NO_$(shell echo $(f) | tr a-z A-Z))
$(FEATURED): $(BUILD)/features
.PHONY: always featured
featured: $(FEATURED)
$(BUILD)/features: always
	@mkdir -p $(@D)
	@echo '$(sort $(FEATURES))' | cmp -s - $@ || echo '$(sort $(FEATURES))' > $@

# What reads, rewrites, plans and writes programs works once for many runs: for size.
COLD    := $(patsubst %,src/%.c,base/diagnostic base/error base/machine base/number base/shared codegen/* export/* io/* ir/* op/* opt/* print/* transform/* compile/compile compile/exec compile/flatten compile/measure compile/passes compile/slices compile/straight \
             runtime/check runtime/codecache runtime/codefile runtime/compiler runtime/device runtime/event runtime/parts runtime/plan runtime/profile runtime/reuse runtime/speed runtime/stage runtime/step_* runtime/steps runtime/team runtime/walk)
$(patsubst %.c,$(BUILD)/%.o,$(wildcard $(COLD))): ALL += $(if $(filter -O2,$(OPT)),-Os)

# COVER="base ir": rooms whose branches are counted; see coverage.
$(patsubst %.c,$(BUILD)/%.o,$(wildcard $(COVER:%=src/%/*.c))): ALL += $(if $(COVER),-O0 --coverage)
$(BUILD)/tests/lib_exit.o: ALL += $(if $(COVER),-DWEFT_COVER)

# The libraries' names, written in the language itself: their text and their code, compiled by the language alone. What a change
# of C leaves as it was is not compiled again.
PACKER  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/base/*.c src/script/*.c) tools/pack.c)
$(BUILD)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL) -c $< -o $@
$(BUILD)/tools/pack: $(PACKER)
	$(Q)$(CC) $(CFLAGS) $(SAN) $^ -o $@ $(LIBS)
$(BUILD)/gen/namespaces.new: $(NSPY) $(BUILD)/tools/pack
	@mkdir -p $(@D)
	$(Q)$(BUILD)/tools/pack $(NSPY) > $@.part && mv $@.part $@
$(BUILD)/gen/namespaces.c: $(BUILD)/gen/namespaces.new
	$(Q)cmp -s $< $@ || cp $< $@
# What generated code stands on: headers of the library as text, an object each. Those that only compilers read are stripped;
# those that stand in exported sources are as they are, but for what they include, a string for each line.
$(BUILD)/gen/prelude.c: $(PRELUDE) tools/embed_text
	@mkdir -p $(@D)
	$(Q)tools/embed_text prelude_lines $(PRELUDE) > $@
$(BUILD)/gen/gpu.c: $(GPU) $(NATIVE) tools/embed_text
	@mkdir -p $(@D)
	$(Q)tools/embed_text gpu_lines $(GPU) > $@ && tools/embed_text native_lines $(NATIVE) >> $@
$(BUILD)/gen/plain.c: $(PLAIN)
$(BUILD)/gen/routine.c: $(ROUTINES)
$(BUILD)/gen/plain.c $(BUILD)/gen/routine.c:
	@mkdir -p $(@D)
	$(Q){ echo "extern const char *const $(basename $(@F))_lines[];"; echo "const char *const $(basename $(@F))_lines[] = {"; \
	    sed '/^#include/d; s|^/\* @ \(.*\) \*/$$|@ \1|; s/\\/\\\\/g; s/"/\\"/g; s/^/    "/; s/$$/\\n",/' $^; echo '    0};'; } > $@
# Pages to look at: what all have, then the page itself, a string for each line.
$(BUILD)/gen/pages.c: $(wildcard src/pages/*.html)
	@mkdir -p $(@D)
	$(Q)for p in $(PAGES); do echo "extern const char *const page_$$p[];"; echo "const char *const page_$$p[] = {"; \
	    sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/    "/; s/$$/\\n",/' src/pages/base.html src/pages/$$p.html; echo '    0};'; done > $@
$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(Q)$(CC) $(ALL) -c $< -o $@

define kernel_rule
$(BUILD)/src/kernels/%.$(1).o: src/kernels/%.c
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(KERNEL) $$(call KOPT,$(1),$$(*F)) $$(ISA_$(1)) -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call kernel_rule,$(i))))

# What tests and benchmarks link: everything visible. What users link: only wf_ names.
$(BUILD)/libweft-all.a: $(OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^

# One object for each source, so that a program gets what it uses and no more. Names that sources share among
# themselves begin with wfi_ there: they meet no name of the program's own.
LIBOBJ  := $(patsubst $(BUILD)/%,$(BUILD)/lib/%,$(OBJ))
$(BUILD)/lib/names: $(OBJ)
	@mkdir -p $(@D)
	$(Q)nm -g --defined-only $^ | sed -n 's/^[0-9a-f]* [A-Z] \(.*\)/\1/p' | grep -v '^wf_' | LC_ALL=C sort -u | \
	    sed 's/.*/& wfi_&/' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(LIBOBJ): $(BUILD)/lib/%: $(BUILD)/% $(BUILD)/lib/names
	@mkdir -p $(@D)
	$(Q)objcopy --redefine-syms=$(BUILD)/lib/names $< $@

$(BUILD)/libweft.a: $(LIBOBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^

ABI     := $(shell sed -n 's/^.define WF_ABI_VERSION //p' include/weft.h)
VERSION := $(shell sed -n 's/.*WF_VERSION "\(.*\)"/\1/p' include/weft.h)
$(BUILD)/libweft.so: $(OBJ) tools/weft.map
	$(Q)$(CC) -shared $(SAN) -Wl,-soname,libweft.so.$(ABI) -Wl,--version-script=tools/weft.map -o $@ $(OBJ) $(LIBS)

$(BUILD)/weft_mpi.so: src/world/plugin_mpi.c src/world/engine.h src/runtime/comm.h
	@mkdir -p $(@D)
	$(Q)$(MPICC) $(filter-out -MMD -MP $(STORES),$(ALL)) -shared -o $@ $<

# what was built without it is built again with it, and the other way round
$(BUILD)/http-$(HTTP):
	@mkdir -p $(@D)
	@rm -f $(BUILD)/http-*; touch $@
$(BUILD)/src/cli/cmd_serve.o: $(BUILD)/http-$(HTTP)
$(CLIOBJ): ALL += $(if $(HTTPSRC),-DWEFT_HTTP $(shell pkg-config --cflags libmicrohttpd))
$(BUILD)/weft: $(CLIOBJ) $(BUILD)/libweft.a
	$(Q)$(CC) $(SAN) -o $@ $^ $(LIBS)

TESTLIB := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/lib_nccl.c,$(wildcard tests/lib_*.c)) tests/test.c)
$(BUILD)/tests/%.o: tests/%.c $(wildcard tests/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL) -Itests -c $< -o $@

# A driver and compiler whose GPU is the host, for commands: LD_LIBRARY_PATH names the folder.
$(BUILD)/tests/gpu/libcuda.so.1: tests/lib_gpu.c tests/lib_gpu.h src/cuda/cuda.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL)) -Itests -DGPU_LIBRARY -DGPU_TREE='"$(CURDIR)"' -shared -o $@ $< && ln -sf libcuda.so.1 $(@D)/libnvrtc.so && ln -sf libcuda.so.1 $(@D)/libnvrtc.alt.so

$(BUILD)/tests/gpu/libnccl.so.2: tests/lib_nccl.c src/cuda/cuda.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL)) -shared -o $@ $<

# Callers of every public function, from the headers.
$(BUILD)/gen/sweep_calls.h: tests/sweep.py $(BUILD)/weft $(wildcard include/*.h)
	$(Q)printf '#include "%s"\n' $(wildcard include/*.h) | $(CC) -E -P -I. -x c - > $(BUILD)/gen/weft.i
	$(Q)$(BUILD)/weft run tests/sweep.py $(BUILD)/gen/weft.i > $@
$(BUILD)/tests/test_sweep.o: $(BUILD)/gen/sweep_calls.h
$(BUILD)/tests/test_sweep.o: ALL += -I$(BUILD)/gen

# with the readers of all formats, as the shared library and the command line have them
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TESTLIB) $(BUILD)/libweft-all.a
	$(Q)$(CC) $(SAN) -Wl,-u,wf_model_import -o $@ $^ $(LIBS)

$(BUILD)/bench/%: bench/%.c $(BUILD)/libweft-all.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL)) -O2 -Wl,-u,wf_model_import -o $@ $< $(BUILD)/libweft-all.a $(LIBS) -ldl

# Weft's own side of the comparison with others: as a user would write it, on the public headers.
$(BUILD)/bench/weft_rows: bench/weft_rows.c bench/rows_small.c bench/rows_small.h $(BUILD)/libweft.a
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -Iinclude $(WARN) $(CFLAGS) $(SAN) -o $@ $(filter %.c,$^) $(BUILD)/libweft.a $(LIBS)

setup-%:
	$(Q)tools/setup $*

# ---- tests --------------------------------------------------------------------------------------

# Test programs get the tree's paths relative to its root, and the command line as WEFT_BIN.
FUZZERS  := $(patsubst fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 30
FUZZSRC  := $(SRC:%.c=$(BUILD)/fuzz-obj/%.o)
FUZZOBJ  := $(FUZZSRC) $(GEN:.c=.o) $(foreach i,$(ISAS),$(KSRC:%.c=$(BUILD)/%.$(i).o))
FUZZFLAGS := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined

# Of the test programs a part under ASan and UBSan in every run, another one at every commit, on the fuzzers' objects, which are built
# anyway: three programs or four, of which each has SAN_SECONDS at most. `make san` does all of it.
SAN_SECONDS ?= 60
SAN_PARTS   := 24
SAN_PART    ?= $(shell n=$$(git rev-list --count HEAD 2>/dev/null || date +%-j); echo $$((n % $(SAN_PARTS) + 1)))/$(SAN_PARTS)
shard        = $(shell echo $(2) | tr ' ' '\n' | awk -v s=$(1) 'BEGIN { split(s, p, "/") } NR % p[2] == p[1] % p[2]')
PARTTESTS   := $(patsubst $(BUILD)/tests/%,$(BUILD)/fuzz-obj/tests/%,$(call shard,$(SAN_PART),$(TESTS)))
$(BUILD)/fuzz-obj/tests/%.o: tests/%.c $(wildcard tests/*.h) $(BUILD)/gen/sweep_calls.h
	@mkdir -p $(@D)
	$(Q)clang $(filter-out $(CFLAGS) $(STORES) -fno-%tables,$(ALL)) $(FUZZFLAGS) -Itests -I$(BUILD)/gen -c $< -o $@
$(BUILD)/fuzz-obj/tests/%: $(BUILD)/fuzz-obj/tests/%.o $(TESTLIB:$(BUILD)/tests/%=$(BUILD)/fuzz-obj/tests/%) $(BUILD)/fuzz-obj/libweft.a
	$(Q)clang -fsanitize=address,undefined -Wl,-u,wf_model_import -o $@ $^ $(LIBS)
san-part: $(PARTTESTS)
	$(Q)WEFT_BIN=$(BUILD)/weft tests/run $(PARTTESTS:%=tests/san-for:$(SAN_SECONDS):%)

# What setup installs (MPI, an HTTP library) is looked for by the make that builds.
test: setup-test
	$(Q)$(MAKE) run-tests

run-tests: tests $(FUZZERS) $(PARTTESTS) examples $(BUILD)/bench/weft_rows
	$(Q)WEFT_BIN=$(BUILD)/weft tests/run $(TESTS) $(BUILD)/bench/weft_rows:check:all $(foreach f,$(FUZZERS),tests/fuzz-for:$(if $(filter %/fuzz_calls,$f),0,$(FUZZ_SECONDS)):$f) \
	    $(PARTTESTS:%=tests/san-for:$(SAN_SECONDS):%) $(wildcard tests/test_*.sh)

test-long: setup-test tests $(FUZZERS) examples
	$(Q)LAWS=20000 TEST_ROUNDS=20 WEFT_LONG=1 WEFT_BIN=$(BUILD)/weft tests/run $(TESTS) \
	    $(FUZZERS:%=tests/fuzz-for:600:%) $(wildcard tests/test_*.sh)

# On a machine with a GPU: the rows of docs/gpu.md, by Weft and, where python3 has them, by JAX and PyTorch.
bench-gpu: all
	$(Q)bench/gpu/run $(BUILD)/weft $(ROWS)

# On a machine with a GPU: programs there against the host, many more than `make test` has.
test-gpu: all $(BUILD)/tests/test_gpu
	$(Q)WEFT_BIN=$(BUILD)/weft tests/gpu_all

# Every source as clang sees it, without making code: no warning.
CLANG    := clang -fsyntax-only -Werror
check-clang: $(BUILD)/gen/sweep_calls.h
	$(Q)printf '%s\n' $(SRC) $(CLISRC) | xargs -n 8 -P $(JOBS) $(CLANG) $(filter-out -MMD -MP $(STORES),$(ALL)) $(if $(HTTPSRC),-DWEFT_HTTP)
	$(Q)printf '%s\n' $(wildcard tests/*.c) $(filter-out fuzz/fuzz_calls.c,$(wildcard fuzz/*.c)) $(filter-out bench/weft_rows.c,$(wildcard bench/bench_*.c)) | \
	    xargs -n 8 -P $(JOBS) $(CLANG) $(filter-out -MMD -MP $(STORES),$(ALL)) -Itests -I$(BUILD)/gen
	$(Q)printf '%s\n' $(wildcard examples/*.c) bench/weft_rows.c bench/rows_small.c | xargs -n 8 -P $(JOBS) $(CLANG) -std=c17 -Iinclude $(WARN) $(CFLAGS)
	$(Q)$(foreach i,$(ISAS),printf '%s\n' $(KSRC) | xargs -n 8 -P $(JOBS) $(CLANG) $(filter-out -MMD -MP,$(KERNEL)) $(ISA_$(i)) &&) true

tests: all $(TESTS) $(BUILD)/tests/gpu/libcuda.so.1 $(BUILD)/tests/gpu/libnccl.so.2

# Random calls under Weft and under the real libraries: CALLS a seed, SEEDS=FIRST:LAST, LIBRARIES.
agree: all
	$(Q)WEFT_BIN=$(BUILD)/weft tools/agree --calls $(if $(CALLS),$(CALLS),200) --seeds $(if $(SEEDS),$(SEEDS),0:5) $(LIBRARIES)

verify-math: $(BUILD)/tests/test_vmath
	$(Q)WEFT_VERIFY=all $(BUILD)/tests/test_vmath

$(BUILD)/fuzz-obj/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)clang $(filter-out $(CFLAGS) $(STORES) -fno-%tables,$(ALL)) $(FUZZFLAGS) -c $< -o $@

$(BUILD)/fuzz/fuzz_calls: $(BUILD)/gen/sweep_calls.h tests/sweep_picks.h
$(BUILD)/fuzz/fuzz_compiled: $(patsubst %,tests/lib_%.c,check compiled laws random random_net target) $(wildcard tests/lib_*.h)
$(BUILD)/fuzz/fuzz_script $(BUILD)/fuzz/fuzz_torchscript: fuzz/limits.h
# A target is linked with what it uses and no more: the fuzzer looks at all counters after each input, and with those of
# the whole library that took a third of the time.
$(BUILD)/fuzz-obj/libweft.a: $(FUZZOBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/fuzz/%: READERS := -Wl,-u,wf_model_import
$(BUILD)/fuzz/fuzz_cache $(BUILD)/fuzz/fuzz_compiled $(BUILD)/fuzz/fuzz_text: READERS :=
$(BUILD)/fuzz/%: fuzz/%.c $(BUILD)/fuzz-obj/libweft.a
	@mkdir -p $(@D)
	$(Q)clang $(filter-out -MMD -MP $(STORES),$(ALL)) -Itests -I$(BUILD)/gen -fsanitize=fuzzer,address,undefined $(READERS) -o $@ $(filter-out %.h %.a,$^) $(filter %.a,$^) $(LIBS)

fuzz: setup-test $(FUZZERS) $(BUILD)/tests/test_laws
	$(Q)LAWS=1000000000 LAWS_SEED=$$(date +%s) $(BUILD)/tests/test_laws laws & \
	for f in $(FUZZERS); do tests/fuzz-for $(if $(SECONDS),$(SECONDS),600) $$f; done; kill %1 2>/dev/null || true

# Every target for so many seconds, with the count of executions; docs/testing.md has the last one.
fuzz-long: setup-test $(FUZZERS)
	$(Q)date -u +%F; for f in $(FUZZERS); do tests/fuzz-for $(if $(SECONDS),$(SECONDS),3600) $$f || exit 1; done

# All test programs to their end under ASan and UBSan, on the fuzzers' objects, with kernels and a command line that are checked, too;
# then the benchmark's programs, with generated code that is checked as well: with the machine's vectors, and with plain loads and
# stores, which ASan sees; then TSan. SHARD=K/N: every Nth test program from the Kth on (K from 1), for a machine with little time.
# A program may take SAN_LIMIT seconds; one that does not come to its end fails. Kernels that are checked have no contraction: where a
# check stands between a product and its sum they are two steps, in some forms of a loop and not in others, which must give the same.
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SANDIR   := $(BUILD)/fuzz-obj/san
SANTESTS := $(patsubst $(BUILD)/tests/%,$(SANDIR)/tests/%,$(if $(SHARD),$(call shard,$(SHARD),$(TESTS)),$(TESTS)))
SANKERN  := $(foreach i,$(ISAS),$(KSRC:%.c=$(BUILD)/fuzz-obj/%.$(i).o))
SANCLI   := $(CLISRC:%.c=$(BUILD)/fuzz-obj/%.o)
SAN_LIMIT ?= 3600
SANENV   := WEFT_SAN=1 WEFT_CC_SECONDS=600 ASAN_OPTIONS=allocator_may_return_null=1 LAWS=40 OPT_LAWS=60 CODEGEN=100
SANROWS  := WEFT_CC_SECONDS=600 WEFT_CACHE=$(SANDIR)/cache CC="clang $(SANFLAGS)" tests/run $(SANDIR)/weft_rows:check:all
define san_kernel_rule
$(BUILD)/fuzz-obj/src/kernels/%.$(1).o: src/kernels/%.c
	@mkdir -p $$(@D)
	$$(Q)clang $$(KERNEL) -O1 -ffp-contract=off $$(SANFLAGS) $$(ISA_$(1)) -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call san_kernel_rule,$(i))))
$(SANCLI): ALL += $(if $(HTTPSRC),-DWEFT_HTTP $(shell pkg-config --cflags libmicrohttpd))
$(SANDIR)/libweft.a: $(FUZZSRC) $(GEN:.c=.o) $(SANKERN)
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rcs $@ $^
$(SANDIR)/tests/%: $(BUILD)/fuzz-obj/tests/%.o $(TESTLIB:$(BUILD)/tests/%=$(BUILD)/fuzz-obj/tests/%) $(SANDIR)/libweft.a
	@mkdir -p $(@D)
	$(Q)clang $(SANFLAGS) -Wl,-u,wf_model_import -o $@ $^ $(LIBS)
$(SANDIR)/weft: $(SANCLI) $(BUILD)/gen/pages.o $(SANDIR)/libweft.a
	$(Q)clang $(SANFLAGS) -Wl,-u,wf_model_import -o $@ $^ $(LIBS)
$(SANDIR)/weft_rows: bench/weft_rows.c bench/rows_small.c bench/rows_small.h $(SANDIR)/libweft.a
	$(Q)clang -std=c17 -Iinclude $(WARN) -O1 -g $(SANFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)
san: all $(SANTESTS) $(SANDIR)/weft $(if $(SHARD),,$(SANDIR)/weft_rows)
	$(Q)$(SANENV) WEFT_BIN=$(SANDIR)/weft tests/run $(SANTESTS:%=timeout:$(SAN_LIMIT):%)
ifeq ($(SHARD),)
	$(Q)$(SANROWS)
	$(Q)WEFT_ISA=base $(SANROWS)
	$(Q)$(MAKE) san-threads
endif

# The programs with threads under TSan. They read no files of other systems and run no scripts: the rooms for those are not built.
THREADED := threads runtime device nn nn_life codegen tensor spmd kernel
TSANSRC  := $(filter-out src/script/% src/onnx/% src/tensorflow/% src/torchscript/% src/stablehlo/% src/torchfile/% src/export/%,$(SRC))
TSANOBJ  := $(TSANSRC:%.c=$(BUILD)/%.o) $(filter-out $(BUILD)/gen/namespaces.o,$(GEN:.c=.o)) $(foreach i,$(ISAS),$(KSRC:%.c=$(BUILD)/%.$(i).o))
$(BUILD)/threaded/libweft.a: $(TSANOBJ)
$(BUILD)/threaded/libtest.a: $(TESTLIB)
$(BUILD)/threaded/libweft.a $(BUILD)/threaded/libtest.a:
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rcs $@ $^
$(THREADED:%=$(BUILD)/threaded/test_%): $(BUILD)/threaded/%: $(BUILD)/tests/%.o $(BUILD)/tests/test.o $(BUILD)/threaded/libtest.a $(BUILD)/threaded/libweft.a
	$(Q)$(CC) $(SAN) -o $@ $^ $(LIBS)
threaded: $(THREADED:%=$(BUILD)/threaded/test_%)
san-threads: all
	$(Q)$(MAKE) BUILD=$(BUILD)/tsan OPT=-O1 SAN="-fsanitize=thread" threaded
	$(Q)WEFT_SAN=1 WEFT_CC_SECONDS=600 LAWS=40 CODEGEN=60 WEFT_BIN=$(BUILD)/weft tests/run $(THREADED:%=$(BUILD)/tsan/threaded/test_%)

# Branches of the rooms that everything stands on; fails below 90 %. docs/testing.md has the last numbers.
COVERED  := base ir op io
coverage:
	$(Q)$(MAKE) BUILD=$(BUILD)/cov COVER="$(COVERED)" LIBS="$(LIBS) --coverage" tests
	$(Q)find $(BUILD)/cov -name '*.gcda' -delete
	$(Q)LAWS=60 CODEGEN=100 WEFT_BIN=$(BUILD)/cov/weft tests/run $(patsubst $(BUILD)/%,$(BUILD)/cov/%,$(TESTS)) tests/test_limits.sh
	$(Q)tools/coverage $(BUILD)/cov $(COVERED)

bless: all
	$(Q)WEFT_BLESS=1 WEFT_BIN=$(BUILD)/weft tests/run $(TESTS)

# ---- demo, examples, bench -----------------------------------------------------------------------

EXAMPLES := $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))
examples: $(EXAMPLES)
$(BUILD)/examples/%: examples/%.c $(BUILD)/libweft.a
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -Iinclude $(WARN) $(CFLAGS) $(SAN) -o $@ $< $(BUILD)/libweft.a $(LIBS)

demo: setup-build all examples
	$(Q)WEFT=$(BUILD)/weft tools/demo

bench: all $(BENCHES) $(BUILD)/bench/weft_rows
	$(Q)THREADS=$(THREADS) bench/run $(BUILD) $(ROWS)
	$(Q)$(if $(ROWS),:,bench/mesh $(BUILD))

# ---- upkeep -----------------------------------------------------------------------------------------

format: setup-format
	$(Q)clang-format -i $(shell git ls-files '*.c' '*.h' | grep -v pow10.h)

tidy: setup-format
	$(Q)clang-tidy --quiet $(SRC) -- -std=c17 -D_GNU_SOURCE -Iinclude -Isrc

docs: all
	$(Q)$(BUILD)/weft ops --markdown > docs/ops.md
	$(Q)$(BUILD)/weft help --man > docs/weft.1
	$(Q)$(BUILD)/weft run tools/fronts.py

# Without symbols for debuggers, unless STRIP is empty. LIBDIR: where libraries go, under PREFIX. What `uninstall` removes is what
# `install` puts there.
STRIP   ?= strip
TO      := $(DESTDIR)$(PREFIX)
LIBDIR  ?= lib
FILL    := sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@ABI@|$(ABI)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
           -e 's|@UP@|$(shell echo $(LIBDIR) | sed 's/[^/][^/]*/../g')|'
COMPLETE_bash := share/bash-completion/completions/weft
COMPLETE_fish := share/fish/vendor_completions.d/weft.fish
COMPLETE_zsh  ?= share/zsh/site-functions/_weft
INSTALLED := bin/weft $(patsubst %,include/%,$(notdir $(wildcard include/*.h include/*.hpp))) $(LIBDIR)/libweft.a $(LIBDIR)/libweft.so $(LIBDIR)/libweft.so.$(ABI) $(PLUGINS:$(BUILD)/%=lib/weft/%) \
             $(LIBDIR)/pkgconfig/weft.pc $(LIBDIR)/cmake/Weft/WeftConfig.cmake $(LIBDIR)/cmake/Weft/WeftConfigVersion.cmake share/man/man1/weft.1 \
             $(COMPLETE_bash) $(COMPLETE_fish) $(COMPLETE_zsh)
install: all
	$(Q)install -d $(addprefix $(TO)/,$(sort $(dir $(INSTALLED))))
	$(Q)install -m 755 $(BUILD)/weft $(TO)/bin/weft
	$(Q)install -m 644 include/*.h include/*.hpp $(TO)/include/
	$(Q)install -m 644 $(BUILD)/libweft.a $(TO)/$(LIBDIR)/libweft.a
	$(Q)install -m 755 $(BUILD)/libweft.so $(TO)/$(LIBDIR)/libweft.so.$(ABI)
	$(Q)ln -sf libweft.so.$(ABI) $(TO)/$(LIBDIR)/libweft.so
	$(Q)$(if $(PLUGINS),install -m 644 $(PLUGINS) $(TO)/lib/weft/)
	$(Q)$(if $(STRIP),$(STRIP) $(TO)/bin/weft $(TO)/$(LIBDIR)/libweft.so.$(ABI) && $(STRIP) --strip-debug $(TO)/$(LIBDIR)/libweft.a)
	$(Q)install -m 644 docs/weft.1 $(TO)/share/man/man1/weft.1
	$(Q)for shell in bash:$(COMPLETE_bash) fish:$(COMPLETE_fish) zsh:$(COMPLETE_zsh); do \
	    $(BUILD)/weft help --completions=$${shell%%:*} >$(TO)/$${shell#*:} || exit 1; done
	$(Q)$(FILL) tools/weft.pc.in > $(TO)/$(LIBDIR)/pkgconfig/weft.pc
	$(Q)$(FILL) tools/WeftConfig.cmake.in > $(TO)/$(LIBDIR)/cmake/Weft/WeftConfig.cmake
	$(Q)$(FILL) tools/WeftConfigVersion.cmake.in > $(TO)/$(LIBDIR)/cmake/Weft/WeftConfigVersion.cmake

uninstall:
	$(Q)rm -f $(addprefix $(TO)/,$(INSTALLED))
	$(Q)rmdir $(TO)/$(LIBDIR)/cmake/Weft $(TO)/lib/weft 2>/dev/null || true

# The tree of the last commit as weft-VERSION.tar.gz; Debian's packages of it, from what is built here.
dist:
	$(Q)mkdir -p $(BUILD)/dist
	$(Q)git archive --format=tar.gz --prefix=weft-$(VERSION)/ -o $(BUILD)/dist/weft-$(VERSION).tar.gz HEAD
	$(Q)ls -l $(BUILD)/dist/weft-$(VERSION).tar.gz
deb: all
	$(Q)rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/weft-$(VERSION)
	$(Q)cp -r Makefile LICENSE README.md CHANGELOG.md include src docs tools $(BUILD)/deb/weft-$(VERSION)/
	$(Q)cp -r tools/debian $(BUILD)/deb/weft-$(VERSION)/debian && sed -i '1s/(.*)/($(VERSION))/' $(BUILD)/deb/weft-$(VERSION)/debian/changelog
	$(Q)cd $(BUILD)/deb/weft-$(VERSION) && WEFT_BUILD=$(abspath $(BUILD)) dpkg-buildpackage -us -uc -b >../build.log 2>&1 || { tail -30 ../build.log; exit 1; }
	$(Q)ls -l $(BUILD)/deb/*.deb

# One wheel for all Pythons from 3.11 on; see bindings/python/setup.py.
PYTHON  ?= python3
wheel: $(BUILD)/libweft.a
	@$(PYTHON) -c 'import setuptools.command.bdist_wheel' 2>/dev/null || $(PYTHON) -c 'import wheel' 2>/dev/null || \
	    { echo '$(PYTHON) has neither setuptools from 70.1 on nor the package wheel (Debian: python3-wheel)' >&2; exit 1; }
	$(Q)rm -rf $(BUILD)/wheel && mkdir -p $(BUILD)/wheel/egg
	$(Q)cd bindings/python && WEFT_BUILD=$(abspath $(BUILD)) $(PYTHON) setup.py -q egg_info --egg-base $(abspath $(BUILD))/wheel/egg \
	    build --build-base $(abspath $(BUILD))/wheel/base bdist_wheel --dist-dir $(abspath $(BUILD))/wheel --bdist-dir $(abspath $(BUILD))/wheel/bdist
	$(Q)ls -l $(BUILD)/wheel/*.whl

clean:
	$(Q)rm -rf $(BUILD)

-include $(OBJ:.o=.d) $(BUILD)/tools/pack.d $(CLIOBJ:.o=.d) $(wildcard $(FUZZSRC:.o=.d) $(SANCLI:.o=.d) $(SANKERN:.o=.d) $(TESTS:=.d) $(TESTLIB:.o=.d))

.SECONDARY:
