internal import LarderEngine
internal import LarderFormat
internal import Synchronization

/// The encryption of one open file: it opens the stored data keys with the host's key, and seals with the last of them.
///
/// Random nonces allow 2^32 values for each key. A writer therefore reserves numbers of values in the record with the keys
/// before it seals them, and begins a new key before the limit.
final class StoreCipher: ValueCipher {
    /// The state of the record with the keys, as of a commit or as a transaction is about to store it.
    struct Keys {
        var record = KeysRecord()
        /// Its stored value.
        var value: [UInt8] = []
        var ring = KeyRing()
        /// The key that seals: the last one of the record. The ring may have others, of earlier commits.
        var sealing: KeyRing.Entry? { record.dataKeys.last.flatMap { ring[UInt32(clamping: $0.number)] } }
        /// The most values that this process may seal now with that key; negative when it has sealed more.
        var left: Int64 = 0
    }

    struct State {
        var hosts: HostKeys
        var nameKey: [UInt8] = []
        /// The keys as of the last commit that was seen.
        var keys = Keys()
        /// The keys that the transaction under way stores.
        var pending: Keys?
    }

    let state: Mutex<State>
    /// The numbers of values: those reserved at a time, and those that are reserved of one key at most. The second leaves
    /// space below 2^32 for a transaction that seals more than it has reserved.
    let limits: (block: Int64, key: Int64)

    init(_ encryption: StoreEncryption, block: Int64 = 1 << 20, keyLimit: Int64 = (1 << 32) - (1 << 26)) {
        state = Mutex(State(hosts: HostKeys(encryption.host)))
        limits = (block, keyLimit)
    }

    /// The identity of the store, which its keys are bound to.
    var storeID: UUIDBytes { state.withLock { $0.hosts.storeID } }

    /// The form of texts in keys.
    var texts: KeyTexts {
        let (host, key) = state.withLock { ($0.hosts.current, $0.nameKey) }
        return KeyTexts { host.hash($0, key: key) }
    }

    // MARK: Values

    var overhead: Int { SealedValue.overhead }

    var record: (table: String, key: [UInt8]) { (TableName.meta.rawValue, KeysRecord.key) }

    private static let plainKeys = [FormatRecord.key, KeysRecord.key]

    func isPlain(_ key: RawSpan, in table: Table) -> Bool {
        table.name == TableName.meta.rawValue && Self.plainKeys.contains { key.equals($0.rawSpan) }
    }

    func keys() -> any ValueKeys { state.withLock { $0.keys.ring } }

    func seal(_ value: RawSpan, for key: RawSpan, in table: Table, into output: inout MutableRawSpan) {
        let last = state.withLock { state in
            // Where the transaction fails, what it has sealed still counts.
            state.keys.left -= 1
            state.pending?.left -= 1
            return (state.pending ?? state.keys).sealing
        }
        guard let last else { preconditionFailure("a value is sealed before the keys are known") }
        SealedValue.writeHead(key: last.number, into: &output)
        last.key.seal(
            value, additionalData: SealedValue.additionalData(key: last.number, table: table.name, key: key),
            into: &output, at: SealedValue.boxOffset)
    }

    // MARK: Commits

    func begin(with record: RawSpan?) throws -> [UInt8]? {
        let isKnown = state.withLock { state in
            state.pending = nil
            guard let record, record.equals(state.keys.value.rawSpan) else { return false }
            state.hosts.unconfirmed = []
            return true
        }
        if !isKnown { try adopt(record) }
        let (hosts, keys) = state.withLock { ($0.hosts, $0.keys) }
        if keys.left >= limits.block / 2 { return nil }
        let pending = try reserve(in: keys, hosts)
        state.withLock { $0.pending = pending }
        return pending.value
    }

    func didCommit() {
        state.withLock { state in
            guard var pending = state.pending.take() else { return }
            pending.ring = state.keys.ring.adding(pending.ring.entries)
            state.keys = pending
        }
    }

    /// Returns the keys with more values reserved for this process, or with a new key.
    private func reserve(in known: Keys, _ hosts: HostKeys) throws -> Keys {
        var keys = known
        guard var last = keys.record.dataKeys.last else { throw StoreError.notAStore }
        // The last transaction may have sealed more than was left.
        let excess = -min(0, keys.left)
        let isFull = last.bound + excess + limits.block > limits.key
        last.bound += isFull ? excess : excess + limits.block
        keys.record.dataKeys[keys.record.dataKeys.count - 1] = last
        keys.left += excess + limits.block
        if isFull { try addKey(to: &keys, hosts) }
        keys.value = Self.value(of: keys.record)
        return keys
    }

    /// Appends a new key, with a block of values reserved.
    func addKey(to keys: inout Keys, _ hosts: HostKeys) throws {
        let number = UInt32(clamping: keys.record.dataKeys.last?.number ?? 0) + 1
        let key = hosts.current.makeKey()
        let wrapped = try hosts.wrap(key, number: number)
        keys.record.dataKeys.append(.init(number: Int64(number), wrapped: wrapped, bound: limits.block))
        let sealing = hosts.current.sealingKey(key)
        keys.ring = keys.ring.adding([.init(number: number, wrapped: wrapped, key: sealing)])
        keys.left = limits.block
    }

    /// The stored value of the record.
    static func value(of record: KeysRecord) -> [UInt8] {
        let key = KeysRecord.key
        return Record.seal(body: record.encode().rawSpan, key: key.rawSpan, seed: TableName.meta.seed)
    }
}
