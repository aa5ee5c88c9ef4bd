public import LarderFormat

/// The errors of a store beside those of the engine.
///
/// Descriptions hold no stored content.
///
/// ```swift
/// do {
///     try await store.write { transaction in try transaction.put(verse, at: key, updatedAt: now) }
/// } catch StoreError.full(let shortage) {
///     print(shortage.missing, "bytes are missing")  // although everything evictable was evicted
/// }
/// ```
public enum StoreError: Error, Equatable, Sendable {
    /// A stored record is not what it should be: changed on the medium, or moved under another key or owner.
    case damaged(table: String, reason: FormatError)
    /// The store has lost a whole table with unsent data: the table's name is damaged.
    case tableLost(String)
    /// A key or value given by the caller does not fit the format.
    case invalid(FormatError)
    /// The file is not a store: its format record is missing or foreign.
    case notAStore
    /// The file needs a newer reader or an older one, or features that this one does not know.
    case unsupportedFormat(FormatError)
    /// The store is encrypted, or is not, and cannot be opened as requested. Nothing was changed.
    case encryption(EncryptionProblem)
    /// The store may have compressed rows, and was opened without ``StoreOptions/compression``. Nothing was changed.
    case compressionMissing
    /// The file may be read only by this version: it was changed by a newer one, or it is a published or diagnostic copy.
    case readOnlyFormat
    /// The file is a store that processes write to, so that it cannot be read without locks.
    case notPublished
    /// A staged snapshot was superseded by another one, or discarded.
    case stagingSuperseded(ResourceKey)
    /// The outbox already has an entry with this identity.
    case duplicateEntry(UUIDBytes)
    /// This many writes wait to be sent, and would be lost.
    case unsentWrites(Int)
    /// This many points of buffers were not sent, and would be lost.
    case unsentPoints(Int)
    /// The outbox has no entry with this identity.
    case unknownEntry(UUIDBytes)
    /// The resource is not in the store, or has no rows to change.
    case noLiveGeneration(ResourceKey)
    /// The write does not fit under the cap: the other content may not be evicted, or is not enough.
    case full(SpaceShortage)
    /// A row's payload is not marked with the codec it was to be decoded with.
    case unexpectedCodec(stored: PayloadCodec, expected: PayloadCodec)
    /// The index of this name cannot be used: it is being built, or does not exist.
    case indexNotReady(String)
    /// The blob was removed before it was read, to free space or by another process.
    case blobRemoved
    /// Work under way in this process holds the lock of this file: a run of the outbox or of a sync, the replacement of
    /// a resource, or a body that is read or written.
    case workUnderWay(lock: String)
    /// A copy of the store was not accepted, because something is wrong with its content.
    case verificationFailed(findings: Int, first: Finding)
}

extension StoreError: CustomStringConvertible {
    /// The fault and, where there is one, the remedy, in one line.
    public var description: String {
        switch self {
        case .damaged(table: TableName.meta.rawValue, let reason):
            """
            A record of meta is damaged (\(reason)): verify the store. Content whose server or account is unknown is \
            removed by Store.clear(discardingUnsent:); a salvage keeps it for the account that is signed in.
            """
        case .damaged(let table, let reason):
            "A record of \(table) is damaged (\(reason)): verify the store and sync the resource again."
        case .tableLost(let name):
            "The file is damaged: it has no table \(name). Restore a copy, or destroy it with what was not sent."
        case .invalid(let reason): "The key or value does not fit: \(reason)"
        case .notAStore: "The file holds no Larder store."
        case .unsupportedFormat(.olderFormat(let minimumReader)):
            """
            The file is of the older format \(minimumReader): open it with an earlier version, or destroy it and sync \
            anew.
            """
        case .unsupportedFormat(let reason): "The file needs a newer version: \(reason)"
        case .encryption(let problem): problem.text
        case .compressionMissing: "The store has compressed rows: open it with StoreOptions.compression."
        case .readOnlyFormat:
            "The file may only be read: it is a published or diagnostic copy, or a newer version has changed it."
        case .notPublished: "The file is no published copy: open it as a store, or publish it first."
        case .stagingSuperseded: "The snapshot was superseded by another one or discarded."
        case .duplicateEntry(let id): "The outbox already has the entry \(id)."
        case .unsentWrites(let count): "\(count) writes were not sent: send them first, or allow them to be discarded."
        case .unsentPoints(let count): "\(count) points were not sent: send them first, or allow them to be discarded."
        case .unknownEntry(let id): "The outbox has no entry \(id)."
        case .noLiveGeneration: "The resource has no rows in the store."
        case .full(let shortage):
            "The write is \(shortage.missing) bytes too large for the cap of \(shortage.cap): raise it, unpin or remove content."
        case .unexpectedCodec(let stored, let expected):
            "The payload is marked with codec \(stored.rawValue), not \(expected.rawValue)."
        case .indexNotReady: "The index is not complete: declare it, and wait until it is built."
        case .blobRemoved: "The body was removed before it was read."
        case .workUnderWay(let lock): "Work under way holds \(lock): end it, and suspend the store then."
        case .verificationFailed(let findings, let first):
            "The content has \(findings) findings, first \(first.kind.rawValue) in \(first.table): verify the store."
        }
    }
}
