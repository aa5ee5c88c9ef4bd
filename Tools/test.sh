#!/usr/bin/env bash
# Runs every test suite and prints how long each took. Arguments name suites; without any, all of them run.
set -euo pipefail
cd "$(dirname "$0")/.."
Tools/setup

traits=(--traits Server,AsyncHTTPClient)
suites=("$@")
if [ "${#suites[@]}" -eq 0 ]; then
    suites=(
        ArchitectureTests LarderFormatTests LarderJSONTests LarderEngineTests CompileTests LarderStoreTests LarderTransportTests
        SimulatorTests LarderServerTests LarderSyncTests LarderHTTPTests LarderOutboxTests LarderQueryTests LarderTests CacheToolTests
        ReadmeTests DictionaryTests CrashTests
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

# Runs one suite. A suite that does not end in a quarter of an hour fails and names the tests that did not end.
run_suite() {
    local suite=$1 log code=0
    log=$(mktemp)
    NO_COLOR=1 timeout -k 10 900 "$tests" --testing-library swift-testing --filter "^$suite\\." 2>&1 | tee "$log" || code=$?
    if [ "$code" -eq 124 ]; then
        echo "test: $suite did not end; these of its tests began and did not end:" >&2
        comm -23 <(sed -n 's/^[^ ]* Test \(.*\) started\.$/\1/p' "$log" | sort -u) \
            <(sed -n 's/^[^ ]* Test \(.*\) \(passed\|failed\) after .*/\1/p' "$log" | sed 's/ with [0-9]* test cases\?$//' | sort -u) >&2
    elif [ "$code" -eq 0 ] && grep -q 'Test run with 0 tests' "$log"; then
        echo "test: no test of $suite ran" >&2
        code=1
    fi
    rm -f "$log"
    return "$code"
}

clock "build" swift build --build-tests "${traits[@]}"
tests=$(swift build --show-bin-path "${traits[@]}")/larderPackageTests.xctest
for suite in "${suites[@]}"; do clock "$suite" run_suite "$suite"; done
printf '\nMinutes of each suite:\n%s' "$times"
