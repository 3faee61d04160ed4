# Weft. `make help` lists what there is. Everything is built under build/.
BUILD   ?= build
CC      ?= cc
PREFIX  ?= /usr/local
OPT     ?= -O2
V       ?= 0
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
SAN     ?=

ifneq ($(filter -j%,$(MAKEFLAGS)),)
else
MAKEFLAGS += -j$(JOBS)
endif
MAKEFLAGS += --no-print-directory
Q := $(if $(filter 0,$(V)),@,)

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wvla
CFLAGS  ?= $(OPT) -g
ALL     := -std=c17 -D_GNU_SOURCE -Iinclude -Isrc $(WARN) $(CFLAGS) -fPIC -fvisibility=hidden \
           -ffp-contract=off -MMD -MP $(SAN)
LIBS    := -lm -lpthread

ARCH    := $(shell $(CC) -dumpmachine | cut -d- -f1)
ISAS    := 0
ifeq ($(ARCH),x86_64)
ISAS    := 0 1 2
endif
KERNEL  := -std=c17 -Iinclude -Isrc $(WARN) -O3 -g -fPIC -fvisibility=hidden -ffp-contract=fast -MMD -MP $(SAN)
ISA_0   := -DKERNEL_ISA=0
ISA_1   := -DKERNEL_ISA=1 -mavx2 -mfma -mf16c
ISA_2   := -DKERNEL_ISA=2 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c -mprefer-vector-width=512

KSRC    := $(wildcard src/kernels/k_*.c)
SRC     := $(filter-out $(KSRC),$(wildcard src/base/*.c src/ir/*.c src/op/*.c src/transform/*.c \
             src/kernels/*.c src/runtime/*.c src/io/*.c))
CLISRC  := $(wildcard src/cli/*.c)
OBJ     := $(SRC:%.c=$(BUILD)/%.o) $(foreach i,$(ISAS),$(KSRC:%.c=$(BUILD)/%.$(i).o))
CLIOBJ  := $(CLISRC:%.c=$(BUILD)/%.o)
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
BENCHES := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/bench_*.c))

.PHONY: all help test test-long demo examples bench san fuzz format tidy install clean setup bless check-lib
all: $(BUILD)/weft $(BUILD)/libweft.a $(BUILD)/libweft.so

help:
	@echo 'make            build/weft, build/libweft.a and build/libweft.so'
	@echo 'make demo       a tour of what works, on embedded data'
	@echo 'make test       all tests; installs what it needs; ends with "N passed, N failed"'
	@echo 'make test-long  the same with more random programs and longer fuzzing'
	@echo 'make examples   build/examples/*, C programs that use the library'
	@echo 'make bench      speed, side by side with other systems where they are present (ROWS=a,b)'
	@echo 'make san        the tests under ASan+UBSan, then TSan'
	@echo 'make fuzz       random programs and libFuzzer targets until stopped (SECONDS=n)'
	@echo 'make bless      rewrite the expected parts of golden files; review the diff'
	@echo 'make format     clang-format over the tree'
	@echo 'make tidy       clang-tidy over the library'
	@echo 'make install    into PREFIX (default /usr/local), honouring DESTDIR'
	@echo 'make clean      remove build/'

$(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL) -c $< -o $@

define kernel_rule
$(BUILD)/src/kernels/%.$(1).o: src/kernels/%.c
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(KERNEL) $$(ISA_$(1)) -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call kernel_rule,$(i))))

$(BUILD)/libweft.a: $(OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/libweft.so: $(OBJ)
	$(Q)$(CC) -shared $(SAN) -Wl,-soname,libweft.so.0 -o $@ $^ $(LIBS)

$(BUILD)/weft: $(CLIOBJ) $(BUILD)/libweft.a
	$(Q)$(CC) $(SAN) -o $@ $^ $(LIBS)

$(BUILD)/tests/%: tests/%.c tests/test.c $(wildcard tests/*.h) $(BUILD)/libweft.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL)) -Itests -o $@ $< $(filter-out tests/test.c,$(wildcard tests/lib_*.c)) tests/test.c $(BUILD)/libweft.a $(LIBS)

$(BUILD)/bench/%: bench/%.c $(BUILD)/libweft.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL)) -O2 -o $@ $< $(BUILD)/libweft.a $(LIBS) -ldl

clean:
	$(Q)rm -rf $(BUILD)

-include $(OBJ:.o=.d) $(CLIOBJ:.o=.d)
