// Proves that a failed write or sync fails one commit, and that the store reopens without loss (pitfalls P22 and P23).

import Foundation
import LarderEngine
import Testing

/// Pitfall P22: a failed commit has freed its transaction. Pitfall P23: after a failed write or sync nothing can be
/// trusted until the file is opened again.
@Suite(.enabled(if: FaultShim.path != nil, "needs a C compiler, cc")) struct `A failing disk` {
    @Test(arguments: ["sync", "write", "short"], Array(1...14))
    func `fails one commit with its cause, loses nothing before it, and the store opens again`(
        call: String, at: Int
    ) throws {
        let directory = TemporaryDirectory()
        try Environment.open(path: directory.path, options: .small).close()
        let shim = try #require(FaultShim.path)
        let lines = try Probe(
            "commit", directory.path, "5",
            environment: ["LD_PRELOAD": shim, "FAULT_CALL": call, "FAULT_AT": "\(at)", "ASAN_OPTIONS": asanOptions]
        ).finish()
        var failures = 0
        for number in 0..<5 {
            let isDone = lines.contains("done \(number)")
            if !isDone {
                failures += 1
                #expect(lines.contains("failed \(number) \(EngineError.ioFailure(errno: EIO))"), "\(lines)")
                #expect(lines.contains("stopped \(number) true"))
            }
            // What was acknowledged is there; what failed may be there, whole, or not at all.
            let found = lines.first { $0.hasPrefix("found \(number) ") }
            #expect(found == "found \(number) whole" || (!isDone && found == "found \(number) nothing"), "\(lines)")
        }
        #expect(failures == 1 || (failures == 0 && at > 5), "\(lines)")
    }

    private var asanOptions: String {
        let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
        return (options.isEmpty ? "" : options + ":") + "verify_asan_link_order=0"
    }
}
