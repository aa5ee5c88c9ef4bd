public import Foundation
internal import LarderOutbox
internal import LarderStore
internal import LarderSync

extension ContentCache {
    /// Returns a small file that shows the state of the cache without its content, to attach to a support request.
    ///
    /// ```swift
    /// let file = try await cache.diagnostics()
    /// try file.write(to: .temporaryDirectory.appending(path: "words.larder"))
    /// ```
    ///
    /// `cachetool inspect words.larder` shows it in a browser: what is ready or stale and why, what is not sent and why,
    /// conflicts and evictions, the HTTP responses with their freshness, the sizes, and the system, network and power at the time
    /// of the call. `cachetool doctor words.larder` looks for common problems in it.
    ///
    /// The file has no row, no body, no credential and no value of the session. Accounts, lanes, keys of rows, tokens, and of
    /// URLs everything behind the authority are replaced by numbers, which differ in each file; equal texts have equal
    /// numbers. Groups, ids, filters, types of rows and writes, servers and the reasons of failures stay as they are.
    ///
    /// Works while the cache runs, also offline.
    ///
    /// - Throws: `EngineError.closed`, `EngineError.diskFull`; `StoreError.damaged` where the store's own counters are
    ///   damaged, other damage is left out; an error of the file system.
    /// - Complexity: about 150 bytes for each resource, write and HTTP response, of which there are 10,000 at most.
    @concurrent
    public func diagnostics() async throws -> Data {
        let directory = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try store.writeDiagnostics(to: directory.path, facts: await facts())
        return try Data(contentsOf: directory.appending(path: "data.mdb"))
    }

    /// The state of the app, without accounts.
    private func facts() async -> [(name: String, value: String)] {
        var facts = [(name: "System", value: ProcessInfo.processInfo.operatingSystemVersionString)]
        if let status = content?.status { facts.append(("Sync", status.description)) }
        if let status = outbox?.status { facts.append(("Writes", status.description)) }
        if let state = try? await session.status.state { facts.append(("Session", "\(state)")) }
        return facts
    }
}
