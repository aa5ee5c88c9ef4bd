#!/usr/bin/env bash
# Runs every test suite and prints how long each took.
#
# usage: Tools/test.sh [--coverage] [SUITE...]
#   SUITE       a suite to run; without any, all of them run
#   --coverage  builds in .build-coverage, prints the line coverage of the modules of the file at the end, and fails below 90 %
set -euo pipefail
cd "$(dirname "$0")/.."

# SwiftPM passes traits to the compiler in the order of a hash table: another order builds everything anew.
export SWIFT_DETERMINISTIC_HASHING=1
options=(--traits Server,AsyncHTTPClient,Encryption,Compression,Postgres)
coverage=
suites=()
for argument in "$@"; do
    case $argument in
        -h | --help) sed -n '4,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
        --coverage) coverage=.build-coverage; options+=(--enable-code-coverage --scratch-path "$coverage") ;;
        -*) echo "test: unknown option $argument" >&2; exit 64 ;;
        *) suites+=("$argument") ;;
    esac
done
# With a browser for the pages of the inspector.
Tools/setup chromium chromium-driver fonts-dejavu-core
if [ "${#suites[@]}" -eq 0 ]; then
    suites=(
        ArchitectureTests LarderFormatTests LarderJSONTests LarderEngineTests CompileTests LarderStoreTests LarderTransportTests
        SimulatorTests LarderServerTests LarderPostgresTests LarderSyncTests LarderHTTPTests LarderOutboxTests LarderQueryTests LarderTests CacheToolTests
        ReadmeTests ExampleTests CrashTests
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

# Prints the lines of modules that tests have run, in percent; fails where that is below 90.
print_coverage() {
    local module percent low=0
    # Profiles have the version of the compiler's LLVM, which need not be the one of the system.
    PATH=$(dirname "$(readlink -f "$(command -v swift)")"):$PATH
    # A killed process leaves a part of its profile.
    llvm-profdata merge -sparse --failure-mode=all "$coverage"/profiles/*.profraw -o "$coverage/tests.profdata"
    printf '\nLines that tests run:\n'
    for module in "$@"; do
        percent=$(llvm-cov export -summary-only -instr-profile "$coverage/tests.profdata" "$tests" "Sources/$module" |
            grep -o '"totals":.*' | grep -o '"lines":{[^}]*' | sed 's/.*"percent"://')
        printf '%6.1f %%  %s\n' "$percent" "$module"
        awk "BEGIN { exit $percent < 90 }" || low=1
    done
    return "$low"
}

clock "build" swift build --build-tests "${options[@]}"
tests=$(swift build --show-bin-path "${options[@]}")/larderPackageTests.xctest
if [ -n "$coverage" ]; then
    rm -rf "$coverage/profiles"
    # Processes that tests start write profiles too.
    export LLVM_PROFILE_FILE=$PWD/$coverage/profiles/%p.profraw
fi
for suite in "${suites[@]}"; do clock "$suite" run_suite "$suite"; done
printf '\nMinutes of each suite:\n%s' "$times"
if [ -n "$coverage" ]; then print_coverage LarderEngine LarderFormat LarderJSON LarderStore; fi
