public import LarderFormat

/// The result of a salvage: what was saved of a damaged store, and what is lost.
///
/// ```swift
/// let report = try Store.salvage(at: path, to: newPath, host: .system())
/// print(report.recordCount, report.incompleteResources)  // the next sync fetches these again
/// print(report.lostWrites.count, "writes are lost")  // only this device had them
/// ```
public struct SalvageReport: Hashable, Sendable {
    /// The pages of the damaged file.
    public internal(set) var pageCount = 0
    /// The pages that a table needs and that are damaged. What only they led to may have been found all the same.
    public internal(set) var damagedPageCount = 0
    /// The records on undamaged pages that are damaged themselves.
    public internal(set) var damagedRecordCount = 0
    /// The records saved, by table. Records that are made from others, such as those of indexes, are not counted.
    public internal(set) var records: [String: Int] = [:]
    /// The writes of the outbox that are saved.
    public internal(set) var writeCount = 0
    /// The identities of writes of the outbox of which a part is lost, so that they cannot be sent. A write of which
    /// everything is lost is not known.
    public internal(set) var lostWrites: [UUIDBytes] = []
    /// The resources of which rows may be missing, or are old. A sync of a filter that holds one fetches it again; rows
    /// that only the app has made are lost.
    public internal(set) var incompleteResources: [ResourceKey] = []
    /// The filters that begin again with their next sync, because their tokens or their lists of resources are damaged.
    public internal(set) var resyncedFilters: [String] = []
    /// The HTTP responses that were dropped, because a part of them is lost.
    public internal(set) var droppedResponses = 0
    /// Whether all stored answers of queries were dropped, because a part of them is lost.
    public internal(set) var hasDroppedCollections = false
    /// Whether the record of the session, or of the account that the content belongs to, may be lost.
    public internal(set) var hasLostAccount = false
    /// The findings of a check of the new store.
    public internal(set) var findings = 0

    /// The records saved.
    public var recordCount: Int { records.values.reduce(0, +) }

    /// Whether nothing is known to be lost.
    public var isComplete: Bool {
        damagedPageCount == 0 && damagedRecordCount == 0 && lostWrites.isEmpty && incompleteResources.isEmpty
            && resyncedFilters.isEmpty && droppedResponses == 0 && !hasDroppedCollections && !hasLostAccount
            && findings == 0
    }

    init() {}
}
