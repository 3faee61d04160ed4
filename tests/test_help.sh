#!/usr/bin/env bash
# test_help.sh -- the manual page in docs/ is the one that the tables of commands give; completions complete, and are what their
# shells can read, where those are installed.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=$(realpath "${WEFT_BIN:-build/weft}")
passed=0 failed=0
is() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$1: found '$2', needed '$3'"; fi; }

if [ -n "${WEFT_BLESS:-}" ]; then "$weft" help --man >docs/weft.1; fi
is 'docs/weft.1 (weft help --man, or WEFT_BLESS=1)' "$("$weft" help --man | cmp - docs/weft.1 2>&1)" ''
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
    is 'man reads it' "$(man --warnings -l docs/weft.1 2>&1 >/dev/null)" ''
fi
# complete WORD...: what bash offers for the last of them
complete_bash() {
    bash -c 'compopt() { :; }; source <("$0" help --completions=bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft; echo "${COMPREPLY[*]-}"' \
        "$weft" "$@"
}
is 'a command' "$(complete_bash weft tr)" train
is 'an option' "$(complete_bash weft train --opt)" '--optimizer='
is 'a transform' "$(complete_bash weft show --hes)" '--hessian'
is 'help of a command' "$(complete_bash weft help ser)" serve
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        is "$shell reads its completions" "$("$weft" help --completions=$shell | $shell -n /dev/stdin 2>&1)" ''
    fi
    case $("$weft" help --completions=$shell) in *optimizer*) is $shell ok ok ;; *) is $shell none optimizer ;; esac
done
is 'another shell' "$("$weft" help --completions=ksh 2>&1 | head -1)" 'weft help: --completions=ksh: bash, zsh or fish'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
