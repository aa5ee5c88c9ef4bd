internal import LarderEngine
internal import LarderFormat

/// The first step of a salvage: it stores every record of a damaged file whose checksum fits its table, key and owner.
///
/// Records that are made from others are left out: those of `indexes` and `garbage`, shown rows, deduplication keys and
/// tags. Rows are stored plain, so dictionaries are left out too.
struct SalvageLoader {
    /// Bytes of keys and values in one commit.
    private static let batch = 4 << 20

    private let reader: SalvageReader
    private let keys: SalvageKeys?
    private let compression: RowCompression?
    /// Whether a row is compressed, and nothing decompresses it.
    private(set) var needsCompression = false
    private let environment: Environment
    private let tables: Tables
    /// The owner of each generation, and the seed of its rows.
    private(set) var owners: [Int64: (resource: ResourceKey, seed: UInt64)] = [:]
    /// The generations that no reader saw: those that were being written, and those that were given up.
    private(set) var unseenGenerations: Set<Int64> = []
    /// The keys of records of `resources` that are on no page of the table's tree, and so may be old ones.
    private(set) var unreachedResources: Set<[UInt8]> = []
    /// The keys of records that a tree leads to and that are damaged.
    private var damagedKeys: [TableName: Set<[UInt8]>] = [:]
    private var waiting: [(table: TableName, record: RawRecord, isReached: Bool)] = []
    private var size = 0
    private(set) var records: [String: Int] = [:]

    init(
        _ reader: SalvageReader, _ keys: SalvageKeys?, _ compression: RowCompression?, _ environment: Environment
    ) {
        self.reader = reader
        self.keys = keys
        self.compression = compression
        self.environment = environment
        tables = Tables(environment)
    }

    /// Whether any record of a table is lost; those of `meta` may also be old ones.
    func hasLoss(of name: TableName) -> Bool {
        if name != .meta, reader.pages.entries[name.rawValue] == records[name.rawValue] { return false }
        return reader.lost.hasAny(of: name.rawValue) || damagedKeys[name]?.isEmpty == false
    }

    /// The number of records that a tree leads to and that are damaged.
    var damagedCount: Int { damagedKeys.values.reduce(0) { $0 + $1.count } }

    /// Reads the file twice: the rows cannot be checked before the owners of their generations, and the dictionaries, are
    /// known.
    mutating func load(progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        let total = 2 * reader.pages.total
        try reader.forEachEntry(
            progress: { done, _ in try progress(done, total) }, { entry in try collectOwner(entry) })
        let first = reader.pages.total
        try reader.forEachEntry(progress: { done, _ in try progress(first + done, total) }, { entry in try add(entry) })
        try flush()
    }

    // MARK: Owners

    private mutating func collectOwner(_ entry: SalvagedEntry) throws {
        let names: [TableName] = [.meta, .generations, .resources, .rows, .garbage]
        guard let (name, content) = record(of: entry, among: names) else { return }
        let (key, value) = (entry.key.rawSpan, content.rawSpan)
        switch name {
        case .meta:
            if DictionaryRecord.isKey(key) { compression?.load(value, of: entry.key) }
        case .generations:
            guard let number = try? GenerationRecord.decodeKey(key),
                let record = try? GenerationRecord(decoding: value.extracting(droppingFirst: RecordHeader.size))
            else { return }
            setOwner(record.owner, of: number)
        case .resources:
            guard let resource = try? ResourceRecord.decodeKey(key),
                let record = try? ResourceRecord(decoding: value.extracting(droppingFirst: RecordHeader.size))
            else { return }
            if let number = record.liveGeneration { setOwner(resource, of: number) }
        case .rows:
            guard let (number, row) = try? RowKeyCoding.decode(key), row == nil,
                let record = try? OwnerRecord(decoding: value.extracting(droppingFirst: RecordHeader.size))
            else { return }
            setOwner(record.owner, of: number)
        case .garbage:
            // Each generation was a staged one once, which a page of that time still says.
            guard entry.origin == .table(name.rawValue) || isWanted(entry, in: name),
                let key = try? GarbageKey(decoding: key)
            else { return }
            if key.kind == .generation || key.kind == .stagedGeneration { unseenGenerations.insert(key.number) }
        default: return
        }
    }

    private mutating func setOwner(_ resource: ResourceKey, of generation: Int64) {
        // The first one is of the better origin.
        if owners[generation] == nil { owners[generation] = (resource, Checksum.ownerSeed(resource)) }
    }

    // MARK: Records

    private mutating func add(_ entry: SalvagedEntry) throws {
        var stated: TableName?
        if case .table(let table) = entry.origin {
            guard let name = TableName(rawValue: table), !Self.isDerived(entry.key, name),
                keys == nil || entry.key != KeysRecord.key
            else { return }
            stated = name
        }
        guard let (name, value) = record(of: entry, among: TableName.allCases), !Self.isDerived(entry.key, name) else {
            if let stated { damagedKeys[stated, default: []].insert(entry.key) }
            return
        }
        let isReached = entry.origin == .table(name.rawValue)
        guard isReached || isWanted(entry, in: name) else { return }
        if !isReached, name == .resources { unreachedResources.insert(entry.key) }
        waiting.append((name, RawRecord(key: entry.key, value: value), isReached))
        size += entry.key.count + value.count
        if size >= Self.batch { try flush() }
    }

    /// Whether an entry that no tree leads to may replace one that is lost.
    ///
    /// A free page has content that was replaced or removed. Only that of `meta` is used, where each record counts: an
    /// older session is better than none, but an older write may have been sent.
    private func isWanted(_ entry: SalvagedEntry, in name: TableName) -> Bool {
        if entry.origin == .free, name != .meta { return false }
        return reader.lost.contains(entry.key, of: name.rawValue) || damagedKeys[name]?.contains(entry.key) == true
    }

    /// Returns the table, among `names`, whose record an entry is by its checksum, and the plain value.
    private mutating func record(of entry: SalvagedEntry, among names: [TableName]) -> (
        table: TableName, value: [UInt8]
    )? {
        var names = names
        if case .table(let table) = entry.origin { names = names.filter { $0.rawValue == table } }
        for name in names {
            let opened = if let keys { keys.plainValue(of: entry, in: name) } else { entry.value }
            let value = opened.flatMap { name == .rows ? decompressed($0) : $0 }
            if let value, verifies(entry.key, value, in: name) { return (name, value) }
        }
        return nil
    }

    /// Returns the plain value of a row; nil where it does not decompress.
    private mutating func decompressed(_ value: [UInt8]) -> [UInt8]? {
        guard let stated = CompressedValue(of: value.rawSpan) else { return value }
        guard let compression else {
            needsCompression = true
            return nil
        }
        var plain = [UInt8](repeating: 0, count: stated.plainSize)
        let outcome = plain.withMutableRawSpan { output in compression.decompress(value.rawSpan, into: &output) }
        return outcome == .done ? plain : nil
    }

    private func verifies(_ key: [UInt8], _ value: [UInt8], in name: TableName) -> Bool {
        var seed = name.seed
        if name == .rows {
            guard let (generation, row) = try? RowKeyCoding.decode(key.rawSpan) else { return false }
            if row != nil {
                guard let owner = owners[generation] else { return false }
                seed = owner.seed
            }
        }
        do throws(FormatError) {
            _ = try Record.open(value.rawSpan, key: key.rawSpan, seed: seed)
            return true
        } catch {
            return false
        }
    }

    private static func isDerived(_ key: [UInt8], _ name: TableName) -> Bool {
        switch name {
        case .indexes, .garbage: true
        case .meta: key == DictionariesRecord.key || DictionaryRecord.isKey(key.rawSpan)
        case .outbox: key.starts(with: OutboxKey.deduplications)
        case .overlay: key.starts(with: OverlayKey.resultPrefix)
        case .responses: !key.starts(with: ResponseKey.responses)
        default: false
        }
    }

    private mutating func flush() throws {
        if waiting.isEmpty { return }
        let stored = try environment.writeBlocking { [waiting, tables] transaction in
            var stored: [String: Int] = [:]
            for (name, record, isReached) in waiting {
                // The first record of a key is of the best origin.
                let table = tables[name]
                if !isReached, try transaction.reader.value(forKey: record.key.rawSpan, in: table) != nil { continue }
                try transaction.set(record.value.rawSpan, forKey: record.key.rawSpan, in: table)
                stored[name.rawValue, default: 0] += 1
            }
            return stored
        }
        records.merge(stored, uniquingKeysWith: +)
        waiting.removeAll(keepingCapacity: true)
        size = 0
    }
}
