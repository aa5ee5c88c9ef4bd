// Proves that an error of the system is never reported as damage, and never hidden.

import Foundation
import LarderEngine
import Testing

@testable import cachetool

@Suite struct `An error of the system` {
    @Test(.enabled(if: AllocationFault.path != nil, "there is no C compiler"))
    func `ends a check with status 4, wherever liblmdb finds no memory`() async throws {
        let sample = try await SampleStore()
        let library = try #require(AllocationFault.path)
        var failed = 0
        for number in 1...200 {
            let log = sample.sibling("failed-\(number)")
            let outcome = try Tool.run(
                "/usr/bin/env",
                ["LD_PRELOAD=\(library)", "FAULT_AT=\(number)", "FAULT_LOG=\(log)", Tool.path, "verify", sample.path])
            guard FileManager.default.fileExists(atPath: log) else {
                #expect(outcome.status == 0 && outcome.text == "OK\n")
                break
            }
            failed += 1
            #expect(outcome.status == 4, "allocation \(number): \(outcome.text) \(outcome.errorOutput)")
            #expect(outcome.text.isEmpty, "allocation \(number): \(outcome.text)")
        }
        // An environment, a read transaction, and a cursor of each table.
        #expect((20..<200).contains(failed))
    }

    @Test(arguments: [
        EngineError.stopped, .closed, .readersFull, .ioFailure(errno: EIO), .diskFull,
        .system(code: ENOMEM, operation: "mdb_cursor_open"),
    ]) func `is status 4, after an earlier failure too`(error: EngineError) {
        #expect(ExitStatus(error) == .system)
    }
}
