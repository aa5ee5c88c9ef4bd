internal import LarderEngine
internal import LarderFormat
internal import Synchronization

/// What a caller has made of the records of responses, kept for the next read of the same records.
///
/// A value is used again only where the key and the bytes of the record are those it was made of: it is never out of
/// date, and bytes that were verified once need no second checksum. It keeps the values of the last 256 to 512 records.
package final class DecodedResponses<Value: Sendable>: Sendable {
    private struct Item {
        let key: [UInt8]
        let bytes: [UInt8]
        let cacheKey: String
        let value: Value
    }

    private struct State {
        /// By the hash of the record's key; of two keys with one hash the last is kept.
        var recent: [UInt64: Item] = [:]
        /// Items that were recent before; those that are used become recent again.
        var older: [UInt64: Item] = [:]
    }

    /// The most recent items. Longer records are not kept.
    private static var limit: Int { 256 }
    private static var longest: Int { 4096 }

    private let state = Mutex(State())

    package init() {}

    /// Returns the value that was made of this record, and its cache key.
    fileprivate func value(of entry: borrowing Entry) -> (cacheKey: String, value: Value)? {
        let hash = entry.key.xxh64(seed: 0)
        let (item, isRecent) = state.withLock { state in
            let recent = state.recent[hash]
            return (recent ?? state.older[hash], recent != nil)
        }
        // Compared after the lock is released: an encrypted record is opened for that.
        guard let item, entry.key.equals(item.key.rawSpan), entry.value.equals(item.bytes.rawSpan) else { return nil }
        if !isRecent { state.withLock { Self.insert(item, hash, in: &$0) } }
        return (item.cacheKey, item.value)
    }

    fileprivate func insert(_ value: Value, of entry: borrowing Entry, cacheKey: String) {
        if entry.value.byteCount > Self.longest { return }
        let item = Item(
            key: [UInt8](copying: entry.key), bytes: [UInt8](copying: entry.value), cacheKey: cacheKey, value: value)
        let hash = entry.key.xxh64(seed: 0)
        state.withLock { Self.insert(item, hash, in: &$0) }
    }

    private static func insert(_ item: Item, _ hash: UInt64, in state: inout State) {
        if state.recent.count >= limit { (state.older, state.recent) = (state.recent, [:]) }
        state.recent[hash] = item
    }
}

extension ReadView {
    /// Returns what `decode` makes of the responses stored under a cache key, those with the highest variants first.
    ///
    /// Returns at most ``ResponseLimits/read``. Damaged records are skipped, and `verify` reports them; so are those of
    /// which `decode` makes nil. Records no use.
    ///
    /// - Parameter decoded: the values that earlier calls made, and where those of this one are kept.
    /// - Throws: ``EngineError``.
    package borrowing func responses<Value>(
        forKey key: String, decoded: DecodedResponses<Value>, _ decode: (ResponseEntry) -> Value?
    ) throws -> [Value] {
        let prefix = ResponseKey.responses(of: key, tables.texts)
        var found: [Value] = []
        var examined = 0
        let end = endOfKeys(beginningWith: prefix)
        try tables.forEachEntry(.responses, from: prefix, upTo: end, reversed: true, in: transaction) { entry in
            examined += 1
            if let value = Tables.response(entry, of: key, decoded, decode) { found.append(value) }
            return found.count < ResponseLimits.read && examined < ResponseLimits.examined
        }
        return found
    }
}

extension Tables {
    /// Returns what was made of the record of an entry, or is made of it now; nil when it belongs to another cache key.
    fileprivate static func response<Value>(
        _ entry: borrowing Entry, of key: String, _ decoded: DecodedResponses<Value>,
        _ decode: (ResponseEntry) -> Value?
    ) -> Value? {
        if let known = decoded.value(of: entry) { return known.cacheKey.equalsBytewise(key) ? known.value : nil }
        guard case .response(let place)? = try? ResponseKey(decoding: entry.key), let record = readable(entry),
            record.key.equalsBytewise(key), let value = decode(ResponseEntry(place: place, record: record))
        else { return nil }
        decoded.insert(value, of: entry, cacheKey: record.key)
        return value
    }
}
