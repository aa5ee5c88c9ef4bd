// CoordinatorFixture: what tests read of its store, its origin and its status.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

extension CoordinatorFixture {
    /// The number of requests for a snapshot.
    func snapshotRequests(of id: Int64) -> Int {
        script.lines.count { $0.hasSuffix("/snapshots/translations/\(id)") }
    }

    func filterState(_ filter: String = "translations:*") throws -> FilterState? {
        try store.read { view in try view.filters().first { $0.filter == filter } }
    }

    func readiness(_ filter: String = "translations:*") throws -> FilterReadiness? {
        try store.read { view in try view.readiness(of: filter) }
    }

    /// The text of a translation's row.
    func text(_ key: Int, of id: Int64 = 19) throws -> String? {
        try store.read { view in
            try view.payload(
                at: RowKey(resource: ResourceKey("translations", id), type: "translation", key: String(key))
            )
            .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// How the store differs from the origin in what a filter covers.
    func differences(_ text: String = "translations:*") async throws -> [String] {
        let filter = try ResourceFilter(text)
        let wanted = try await origin.publicResources.map { ResourceKey($0.group, $0.id) }.filter {
            filter.matches(group: $0.group, id: $0.id)
        }
        var found: [String] = []
        if try filterState(text)?.members.sorted() != wanted.sorted() { found.append("the members of \(text)") }
        for resource in wanted {
            let rows = try store.read { view in try view.rows(in: .all(of: resource)) }
            let here = Dictionary(uniqueKeysWithValues: rows.map { ($0.key.key, Array($0.payload)) })
            let there = try await origin.rows(of: Origin.ResourceID(resource.group, resource.id)) ?? []
            if here != Dictionary(uniqueKeysWithValues: there.map { ($0.key.key, Array($0.body)) }) {
                found.append("the rows of \(resource)")
            }
        }
        return found
    }

    /// Checks the whole store.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var findings: [String] = []
        _ = try store.verify { finding in findings.append("\(finding)") }
        #expect(findings == [], sourceLocation: sourceLocation)
    }
}

extension SyncStatus {
    /// Whether the first filter has nothing to do.
    var isIdle: Bool { filters.first?.activity == .idle }

    /// When the first filter is tried again, in milliseconds since 1970-01-01 UTC.
    var retryAt: Int64? {
        if case .waiting(.retry(let time))? = filters.first?.activity { time } else { nil }
    }

    var isRetrying: Bool { retryAt != nil }
}

extension SyncError {
    var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    var isOffline: Bool { if case .offline = self { true } else { false } }
}

/// How a call that may fail with a ``SyncError`` ended.
func outcome(_ body: () async throws(SyncError) -> SyncReport) async -> Result<SyncReport, SyncError> {
    do throws(SyncError) {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}

extension Result<SyncReport, SyncError> {
    var error: SyncError? { if case .failure(let error) = self { error } else { nil } }

    var report: SyncReport? { if case .success(let report) = self { report } else { nil } }
}
