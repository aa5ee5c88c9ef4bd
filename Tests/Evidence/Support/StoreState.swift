// StoreState: reading what a directory of a store holds.

import LarderEngine
import LarderFormat
import LarderStore

/// Reading what a directory of a store holds.
enum StoreState {
    /// The digests of a store or of a published copy that nothing else uses.
    ///
    /// The store is opened stepped, so that nothing that an open begins changes it before it is read.
    static func digests(at path: String, host: HostServices = .repeating()) throws -> TableDigests {
        if path.hasSuffix("published") {
            return try PublishedStore.open(at: path, host: host).read { view in try TableDigests(view) }
        }
        var options = StoreOptions(access: .readWriteExisting)
        options.isStepped = true
        let store = try Store.open(at: path, options: options, host: host)
        do {
            let digests = try store.read { view in try TableDigests(view) }
            try store.close()
            return digests
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Opens a store as an app does, verifies it, writes once, verifies again and closes it; throws at the first thing
    /// that is wrong.
    static func checkUse(at path: String, host: HostServices = .repeating()) throws {
        let store = try Store.open(at: path, options: StoreOptions(access: .readWriteExisting), host: host)
        do {
            try verify(store)
            try store.writeBlocking { transaction in
                try transaction.put(
                    Array("{}".utf8), at: RowKey(resource: ResourceKey("check", 1), type: "row", key: "1"), updatedAt: 0
                )
            }
            try verify(store)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    static func verify(_ store: Store) throws {
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        if !findings.isEmpty { throw ToolFailure("verify: \(findings.prefix(3).map { "\($0)" })") }
    }
}
