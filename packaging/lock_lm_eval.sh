#!/bin/sh
# Writes resources/lm_eval/*.txt: the packages of lm-eval's environment, each in one version and with
# the hashes of all its files, for Python 3.11 and newer on every platform. Needs uv and a network;
# run it when lmEvalVersion in core/lm_eval/python_environment.h changes. Versions that are locked
# already stay, unless the new lm-eval cannot do with them.
#   packaging/lock_lm_eval.sh 0.4.13
set -eu
[ $# -eq 1 ] || { echo "name lm-eval's version: $0 0.4.13" >&2; exit 2; }
folder=$(CDPATH='' cd "$(dirname "$0")/../resources/lm_eval" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Beside [api] what the generative tasks ask for. setuptools builds the few packages that come as sources
# only; it is installed before them. leaderboard_ifeval imports its pkg_resources, which 82 dropped.
printf 'lm-eval[api,ifeval,math]==%s\nsetuptools<82\n' "$1" >"$work/wanted.in"
[ ! -f "$folder/requirements.txt" ] || cp "$folder/requirements.txt" "$work/"
uv pip compile --universal --python-version 3.11 --generate-hashes --no-config --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links --quiet "$work/wanted.in" -o "$work/requirements.txt"
note="# Made by packaging/lock_lm_eval.sh for lm-eval $1; not to be edited."
{ echo "$note"; cat "$work/requirements.txt"; } >"$folder/requirements.txt"
{ echo "$note"; awk '/^[^ ]/ { wanted = /^setuptools==/ } wanted' "$work/requirements.txt"; } >"$folder/build.txt"
