#!/usr/bin/env bash
# Runs every test suite and prints how long each took. Arguments name suites; without any, all of them run.
set -euo pipefail
cd "$(dirname "$0")/.."
Tools/setup

traits=(--traits Server,AsyncHTTPClient)
suites=("$@")
if [ "${#suites[@]}" -eq 0 ]; then
    suites=(
        LarderFormatTests LarderEngineTests CompileTests LarderStoreTests LarderTransportTests LarderTestingTests
        SimulationTests LarderServerTests LarderSyncTests LarderHTTPTests LarderOutboxTests LarderQueryTests CacheToolTests ReadmeTests
        CrashTests
    )
fi

# One suite's minutes, and its name, per line.
times=""
clock() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    times+=$(printf '%6.1f min  %s' "$(awk "BEGIN { print ($SECONDS - $start) / 60 }")" "$name")$'\n'
}

clock "build" swift build --build-tests "${traits[@]}"
for suite in "${suites[@]}"; do
    # A suite that hangs fails after a quarter of an hour; one that runs nothing is a mistake in its name.
    log=$(mktemp)
    clock "$suite" bash -c 'set -o pipefail; timeout -k 10 900 swift test --skip-build "${@:3}" --filter "^$1\\." 2>&1 | tee "$2"' \
        _ "$suite" "$log" "${traits[@]}"
    if grep -q 'Test run with 0 tests' "$log"; then
        echo "test: no test of $suite ran" >&2
        exit 1
    fi
    rm -f "$log"
done
printf '\nMinutes of each suite:\n%s' "$times"
