// The entry points that libFuzzer calls. A target declares `FuzzTarget`, and is linked with the files of this folder.

import Glibc

/// Checks one input: called by libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer owns `count` bytes, which are copied before it continues.
    FuzzTarget.run(unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Writes the first inputs of the target into the directory that `LARDER_FUZZ_SEEDS` names, and exits: called by
/// libFuzzer before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(
    _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let directory = unsafe getenv("LARDER_FUZZ_SEEDS").map({ unsafe String(cString: $0) }) else { return 0 }
    for (number, seed) in FuzzTarget.seeds.enumerated() {
        let file = unsafe fopen("\(directory)/seed-\(number)", "w")
        require(unsafe file != nil && fwrite(seed, 1, seed.count, file) == seed.count, "a seed cannot be written")
        _ = unsafe fclose(file)
    }
    exit(0)
}

/// Whether the target has to find a fault that its properties contain: a self-test.
let isSelfTest = unsafe getenv("LARDER_FUZZ_FAULT") != nil

/// Ends the process with a report, which libFuzzer keeps with its input, unless a property holds.
func require(_ holds: Bool, _ violation: @autoclosure () -> String) {
    if !holds { fatalError(violation()) }
}
