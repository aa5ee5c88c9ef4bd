internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Writes a packed, read-only copy of the last commit into the directory at `path`, and renames it into place.
    ///
    /// ``PublishedStore`` reads such a copy without any lock, in this and other processes: an app publishes for its
    /// widget, or makes the content that it ships with (``open(at:seededFrom:options:host:)``). A copy that is there
    /// already is replaced in one step; its readers finish with the old one. A process that is killed, or an error,
    /// leaves the old copy.
    ///
    /// The copy has everything that the store has: unsent writes, the session's values and tokens too. Publish into a
    /// directory of its own that only your programs can read, and publish what you ship from a store in which no
    /// account has signed in. To remove a copy, remove the directory.
    ///
    /// Works while others read and write. Holds one read view throughout. Blocks, also while another process publishes
    /// to the same directory.
    ///
    /// ```swift
    /// try store.publish(to: group.appending(path: "published").path)
    /// ```
    ///
    /// - Parameters:
    ///   - path: the directory of the copy, which is created when it does not exist. It must not hold a store.
    ///   - progress: receives the number of entries copied so far; an error that it throws ends the call.
    /// - Throws: `EngineError.keyExists` when a store, or another program's file, is there; `EngineError.diskFull`,
    ///   `EngineError.closed`, `EngineError.lockedElsewhere(name:seconds:)`, and others of the engine for a damaged
    ///   file that is there; ``StoreError/readOnlyFormat`` for a store that only a newer version may write.
    /// - Complexity: reads and writes every record once.
    public func publish(to path: String, progress: (Int) throws -> Void = { _ in }) throws {
        try checkOpen()
        if try Self.readFormat(environment) == .readOnly { throw StoreError.readOnlyFormat }
        try environment.publish(
            to: path, record: (TableName.meta.rawValue, FormatRecord.key), validate: Self.checkReplaceable,
            change: { transaction, tables, _ in try Self.markPublished(&transaction, Tables(tables)) },
            progress: progress)
    }

    /// Throws unless the value of the format record shows a published copy.
    ///
    /// The record of another version does not show it. Such a file is a copy where no lock file is beside it, because
    /// a store has those.
    private static func checkReplaceable(_ format: [UInt8]?, hasLockFile: Bool) throws {
        guard let format else { throw EngineError.keyExists }
        do {
            if try formatRecord(of: format.rawSpan).features.isPublished { return }
        } catch StoreError.unsupportedFormat {
            if !hasLockFile { return }
        }
        throw EngineError.keyExists
    }

    private static func markPublished(_ transaction: inout WriteTransaction, _ tables: Tables) throws {
        guard var format = try tables.format(in: transaction.reader) else { throw StoreError.notAStore }
        format.features.isPublished = true
        try transaction.setMeta(FormatRecord.key, format, in: tables)
    }
}
