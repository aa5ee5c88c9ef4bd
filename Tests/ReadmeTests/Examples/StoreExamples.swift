// Proves that the examples in the doc comments of the store, its keys and its readiness compile.

#if AsyncHTTPClient
import Larder
import LarderStore

private func storeExample(path: String, key: RowKey, verse: Verse, now: Int64) async throws {
    // Example of Store
    let store = try Store.open(at: path)  // a directory, created when it does not exist
    try await store.write { transaction in try transaction.put(verse, at: key, updatedAt: now) }
    let found = try store.read { view in try view.value(Verse.self, at: key) }  // no network, no waiting
    print(found?.text ?? "not here")
    try store.close()
    // End of example
}

private func publishedStoreExample(path: String, logger: Logger, key: RowKey) throws {
    // Example of PublishedStore
    let published = try PublishedStore.open(at: path, host: .system(logger: logger))
    let verse = try published.read { view in try view.value(Verse.self, at: key) }  // of the newest copy
    print(verse?.text ?? "not published")
    // End of example
}

private func readViewExample(store: Store, resource: ResourceKey, key: RowKey) throws {
    // Example of ReadView
    let (verse, count) = try store.read { view in  // both as of one commit, whatever is written meanwhile
        (try view.value(Verse.self, at: key), try view.rows(in: .type("translation", of: resource)).count)
    }
    print(verse?.text ?? "not here", count)
    // End of example
}

private func transactionExample(store: Store, key: RowKey, old: RowKey, verse: Verse, now: Int64) async throws {
    // Example of Transaction
    let isNew = try await store.write { transaction in  // one commit; nothing is stored when something throws
        let before = try transaction.payload(at: key)
        try transaction.put(verse, at: key, updatedAt: now)
        try transaction.removeRow(at: old)
        return before == nil
    }
    print(isNew ? "added" : "replaced")
    // End of example
}

private func resourceKeyExample(store: Store) throws {
    // Example of ResourceKey
    let resource = ResourceKey("translations", 19)  // a group, and a number within it
    let known = try store.read { view in try view.resource(resource) }
    print(resource, known?.rowCount ?? 0)
    // End of example
}

private func rowKeyExample(store: Store) throws {
    // Example of RowKey
    let key = RowKey(resource: ResourceKey("translations", 19), type: "translation", key: "85108")
    let payload = try store.read { view in try view.payload(at: key) }
    print(payload?.count ?? 0, "bytes")
    // End of example
}

private func rowRangeExample(store: Store, resource: ResourceKey) throws {
    // Example of RowRange
    let range = RowRange.keys(from: "1", upTo: "101", type: "translation", of: resource)  // as numbers
    let rows = try store.read { view in try view.rows(in: range, limit: 20) }
    for row in rows { print(row.key.key, row.payload.count) }
    // End of example
}

private func regionExample(store: Store, resource: ResourceKey) async throws {
    // Example of Region
    let counts = store.values(in: .resource(resource)) { view in try view.resource(resource)?.rowCount ?? 0 }
    for try await count in counts { print(count, "rows") }  // now, and after every change of the resource
    // End of example
}

private func filterReadinessExample(store: Store, now: Int64) throws {
    // Example of FilterReadiness
    let readiness = try store.read { view in try view.readiness(of: "translations:19,20") }
    if let readiness {  // nil before the first run of the filter has begun
        print(readiness.isComplete ? "readable offline" : "\(readiness.remainingResourceCount) still to fetch")
        if readiness.isOverdue(now: now) { print("not synced for a week") }
    }
    // End of example
}

private func storeErrorExample(store: Store, key: RowKey, verse: Verse, now: Int64) async throws {
    // Example of StoreError
    do {
        try await store.write { transaction in try transaction.put(verse, at: key, updatedAt: now) }
    } catch StoreError.full(let shortage) {
        print(shortage.missing, "bytes are missing")  // although everything evictable was evicted
    }
    // End of example
}

private func storeOptionsExample(path: String) throws {
    // Example of StoreOptions
    let options = StoreOptions(sizeCap: 200 << 20, collectionAge: .seconds(30 * 86_400))
    let store = try Store.open(at: path, options: options)  // holds at most 200 MiB of keys and values
    try store.close()
    // End of example
}

private func damageRecoveryExample(path: String) throws {
    // Example of DamageRecovery
    var options = StoreOptions()
    options.recovery = .salvage
    let store = try Store.open(at: path, options: options)
    if let recovery = store.recovery { print("replaced:", recovery.cause) }
    // End of example
    try store.close()
}

private func storeRecoveryExample(cache: ContentCache) {
    // Example of StoreRecovery
    if let recovery = cache.store.recovery {
        print(recovery.cause, recovery.report.lostWrites)  // only this device had these
    }
    // End of example
}

private func salvageReportExample(path: String, newPath: String) throws {
    // Example of SalvageReport
    let report = try Store.salvage(at: path, to: newPath, host: .system())
    print(report.recordCount, report.incompleteResources)  // the next sync fetches these again
    print(report.lostWrites.count, "writes are lost")  // only this device had them
    // End of example
}

private func hostServicesExample(path: String, noon: Int64) throws {
    // Example of HostServices
    var host = HostServices.system(logger: Logger(label: "org.example.words"))
    host.now = { noon }  // a test that needs a fixed time
    let store = try Store.open(at: path, host: host)
    try store.close()
    // End of example
}
#endif
