// Proves that the names of a new store are on the medium before its first commit is reported.
import Foundation
import Testing

@Suite(.enabled(if: FaultShim.path != nil, "needs a C compiler, cc")) struct `The names of a new store` {
    @Test func `are synced into every directory that was made`() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        // As /proc names it.
        let base = URL(fileURLWithPath: directory.path).resolvingSymlinksInPath().path
        let shim = try #require(FaultShim.path)
        let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
        let log = base + "/log"
        let said = try Probe(
            "try-open", base + "/apps/one/store",
            environment: [
                "LD_PRELOAD": shim, "FAULT_LOG": log,
                "ASAN_OPTIONS": (options.isEmpty ? "" : options + ":") + "verify_asan_link_order=0",
            ]
        ).finish()
        #expect(said == ["opened"])
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(
            lines == [
                base, base + "/apps", base + "/apps/one store", base + "/apps/one/store data.mdb",
                base + "/apps/one/store data.mdb guard.lock",
            ])
    }
}
