// MeasuredRun: a sync against a hostile server in a child process, with its peak memory.

#if AsyncHTTPClient && os(Linux)
import Foundation
import PostgresCluster
import Testing

/// What a `hostile-child` said of its visit to a server.
struct MeasuredRun {
    /// The error of the run that was measured, in its own words, or `success`.
    let outcome: String
    /// How much the peak of resident memory grew in that run, in kibibytes; nil where it cannot be measured.
    let growth: Int?
    /// The part of it that is clean pages of the store's file, where the visit measures it.
    let pages: Int
    /// Whether the store held afterwards what it held before, and was sound.
    let isStoreUnchanged: Bool

    /// The transports that are measured.
    enum Adapter: String, CaseIterable, Sendable {
        case asyncHTTPClient, urlSession

        /// The most that a run against a hostile server may take, in kibibytes: 64 MiB, twice the largest page.
        ///
        /// URLSession does not hold the server back: up to 32 MiB lie unread, and its own queue comes on top.
        var most: Int { self == .urlSession ? 128 << 10 : 64 << 10 }
    }

    /// Lets a child of its own visit `server`, and waits for its end.
    static func make(
        _ what: String, _ adapter: Adapter, _ server: HostileServer, cap: Int? = nil
    ) async throws -> MeasuredRun {
        let store = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: store) }
        let child = try await SpawnedProgram.run(
            products.appending(path: "hostile-child").path,
            [what, adapter.rawValue, server.base, store] + (cap.map { [String($0)] } ?? []))
        #expect(child.status == 0, "the child died")
        return MeasuredRun(child.output)
    }

    private init(_ said: String) {
        var values: [String: String] = [:]
        for line in said.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        outcome = values["outcome"] ?? "nothing"
        growth = values["growth"].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
        pages = values["pages"].flatMap { Int($0) } ?? 0
        isStoreUnchanged = values["kept"] == "true" && values["findings"] == "0"
    }

    /// Where the products of the build lie.
    private static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
}
#endif
