internal import LarderEngine
internal import LarderFormat
internal import LarderJSON

extension Verifier {
    /// Checks `indexes`, each record by itself. FORMAT.md, "Invariants".
    func verifyIndexes(_ snapshot: borrowing ReadTransaction) throws {
        var names: [[UInt8]: Int64] = [:]
        try walk(.indexes, snapshot) { entry in
            switch try key(of: entry, .indexes, IndexKey.init(decoding:)) {
            case .declaration(let number):
                highest.index = max(highest.index, number)
                indexes.numbers.insert(number)
                guard let record = try record(of: entry, .indexes, at: "index \(number)", IndexRecord.init(decoding:))
                else { return }
                if JSONPath(record.path) == nil {
                    try find(.undecodable, in: .indexes, at: "index \(number)", "its path is none")
                }
                if let other = names.updateValue(number, forKey: Array(record.name.utf8)) {
                    try find(.duplicate, in: .indexes, at: "index \(number)", "index \(other) has the same name")
                }
            case .entry(let decoded): try verifyEntry(entry, decoded)
            case nil: return
            }
        }
    }

    private func verifyEntry(_ entry: borrowing Entry, _ decoded: IndexEntryKey) throws {
        let location = "index \(decoded.index), generation \(decoded.generation)"
        highest.index = max(highest.index, decoded.index)
        highest.generation = max(highest.generation, decoded.generation)
        indexes.note(entry, decoded)
        if !indexes.numbers.contains(decoded.index), !isGarbage(.index, decoded.index), !broken.contains(.garbage) {
            try find(.orphan, in: .indexes, at: location, "the index has no record")
        }
        if generations[decoded.generation] == nil, !damagedGenerations.contains(decoded.generation),
            !isGarbage(.generation, decoded.generation), !broken.contains(.generations), !broken.contains(.garbage)
        {
            try find(.orphan, in: .indexes, at: location, "the generation has no record")
        }
        let isWhole = try record(of: entry, .indexes, at: location) { (body) throws(FormatError) in
            guard case .hash(let hash) = decoded.address else { return true }
            _ = try IndexEntryKey.decodeAddress(body)
            return IndexEntryKey.hash(ofAddress: body) == hash
        }
        if isWhole == false { try find(.undecodable, in: .indexes, at: location, "it names a row that it is not of") }
    }

    /// Indexes with the rows they are over. FORMAT.md, "Invariants".
    func compareIndexes() throws {
        if broken.contains(.rows) || broken.contains(.indexes) { return }
        let places = Set(indexes.expected.keys).union(indexes.found.keys)
        for place in places.sorted(by: { ($0.generation, $0.index) < ($1.generation, $1.index) }) {
            guard generations[place.generation] != nil, !isStaged(place.generation),
                !indexes.unsure.contains(place.generation),
                indexes.declared.contains(where: { $0.number == place.index && $0.state == .ready })
            else { continue }
            let expected = indexes.expected[place] ?? WalkedIndexes.Sum()
            let found = indexes.found[place] ?? WalkedIndexes.Sum()
            if expected == found { continue }
            try find(
                .index, in: .indexes, at: "index \(place.index), generation \(place.generation)",
                expected.count == found.count
                    ? "entries are not those that the rows call for"
                    : "\(expected.count) entries are called for, \(found.count) found")
        }
    }
}

/// What a walk has learnt of secondary indexes: of each in each generation, what there is and what there should be.
struct WalkedIndexes {
    struct Place: Hashable {
        let generation: Int64
        let index: Int64
    }

    /// How many entries, and the sum of their hashes.
    struct Sum: Equatable {
        var count = 0
        private var hash: UInt64 = 0

        mutating func add(key: RawSpan, body: RawSpan) {
            count += 1
            hash &+= key.xxh64(seed: body.xxh64(seed: 0))
        }
    }

    /// Those whose records can be read.
    var declared: [SecondaryIndex] = []
    /// The numbers of all of them, damaged or not.
    var numbers: Set<Int64> = []
    /// Generations with rows that could not be read.
    var unsure: Set<Int64> = []
    private(set) var expected: [Place: Sum] = [:]
    private(set) var found: [Place: Sum] = [:]
    /// The plan for the rows met last: those of one type are neighbours.
    private var last: (generation: Int64, indexes: RowIndexes?, type: String, numbers: [Int64])?

    /// Notes the entries that a row calls for.
    mutating func note(
        _ entry: borrowing Entry, generation: Int64, _ row: (type: String, key: String), of owner: ResourceKey?
    ) {
        guard !declared.isEmpty, let owner else { return }
        if last?.generation != generation || last?.type.utf8.elementsEqual(row.type.utf8) != true {
            let kept = declared.filter { $0.state == .ready }
            let indexes = RowIndexes(of: kept, over: owner, type: row.type)
            last = (generation, indexes, row.type, indexes?.numbers ?? [])
        }
        guard let last, let indexes = last.indexes else { return }
        let source = RowSource(owner: owner, generation: generation)
        let entries = try? indexes.entries(of: entry.value, rowKey: entry.key, key: row.key, source)
        guard let entries else {
            unsure.insert(generation)
            return
        }
        for (number, entry) in zip(last.numbers, entries) {
            expected[Place(generation: generation, index: number), default: Sum()]
                .add(key: entry.key.rawSpan, body: entry.body.rawSpan)
        }
    }

    /// Notes an entry that is there.
    mutating func note(_ entry: borrowing Entry, _ decoded: IndexEntryKey) {
        guard let body = try? Record.openUnverified(entry.value) else { return }
        found[Place(generation: decoded.generation, index: decoded.index), default: Sum()]
            .add(key: entry.key, body: body)
    }
}
