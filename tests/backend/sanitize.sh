#!/usr/bin/env bash
# Builds the kernels with -fsanitize=address,undefined and runs their tests, those marked native, on that build.
#   sanitize.sh PYTHON [PART …]     such as 1/4 2/4; 1/1 by default, which is all
set -euo pipefail
python="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
root="$(cd "$(dirname "$0")/../.." && pwd)"
build="$root/build/sanitize"

cmake -S "$root" -B "$build" -DSUFFICE_SANITIZE=ON -DPython_EXECUTABLE="$python" \
      -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >/dev/null
cmake --build "$build" --parallel "$(nproc)" >/dev/null
site="$build/site"
rm -rf "$site" && mkdir -p "$site"
cp -r "$root/src/suffice" "$site/suffice"
rm -f "$site"/suffice/backend/*.so
cp "$build"/_*.so "$site/suffice/backend/"
shift

# The interpreter itself is not instrumented, so its own leaks are not ours to report.
cd "$root"
export LD_PRELOAD="$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libubsan.so)"
# Frames that GCC before 13.3 puts on ASan's heap, to see what outlives its function, do not keep the alignment of vectors of
# 64 bytes (its bug 110027): every kernel with one would crash, wherever that is the default.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 UBSAN_OPTIONS=print_stacktrace=1
# An editable install would come first on the path: -S leaves it out, and site-packages is named by hand.
export PYTHONPATH="$site:$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')${PYTHONPATH:+:$PYTHONPATH}"
"$python" -S -c "
from suffice.backend import native
assert native._kernels.__file__.startswith('$site'), native._kernels.__file__
"
mapfile -t files < <(grep -rlE 'pytest\.mark\.native' --include='test_*.py' tests)
for part in "${@:-1/1}"; do
    SECONDS=0
    "$python" -S -m pytest -q -n "$(nproc)" -p no:cacheprovider -m 'native and not unsanitized' --part "$part" "${files[@]}"
    echo "part $part: ${SECONDS} s"
done
