// Proves that the names of a new store are on the medium before its first commit is reported.
import Foundation
import Testing

@Suite(.enabled(if: FaultShim.path != nil, "needs a C compiler, cc")) struct `The names of a new store` {
    /// The directories that are synced while a store is made at `path` below an existing directory, each with the names of
    /// a store that it has.
    private func synced(_ path: String, isMadeBefore: Bool = false) throws -> [String] {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        if isMadeBefore {
            try FileManager.default.createDirectory(atPath: directory.path + path, withIntermediateDirectories: true)
        }
        // As /proc names it.
        let base = URL(fileURLWithPath: directory.path).resolvingSymlinksInPath().path
        let shim = try #require(FaultShim.path)
        let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
        let log = base + "/log"
        let said = try Probe(
            "try-open", base + path,
            environment: [
                "LD_PRELOAD": shim, "FAULT_LOG": log,
                "ASAN_OPTIONS": (options.isEmpty ? "" : options + ":") + "verify_asan_link_order=0",
            ]
        ).finish()
        #expect(said == ["opened"])
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
        return lines.map { String($0.dropFirst(base.count)) }
    }

    @Test func `are synced into every directory that was made`() throws {
        let lines = try synced("/apps/one/store")
        #expect(
            lines == [
                "", "/apps", "/apps/one store", "/apps/one/store data.mdb", "/apps/one store",
                "/apps/one/store data.mdb guard.lock",
            ])
    }

    @Test func `are synced with that of a directory that was there`() throws {
        #expect(
            try synced("/store", isMadeBefore: true) == ["/store data.mdb", " store", "/store data.mdb guard.lock"])
    }
}
