internal import LarderEngine
internal import LarderFormat
internal import LarderJSON

extension Verifier {
    /// Checks `indexes`, each record by itself. FORMAT.md, "Invariants".
    func verifyIndexes(_ source: ReadTransaction) throws {
        var names: [[UInt8]: Int64] = [:]
        try walk(.indexes, source) { entry in
            switch try key(of: entry, .indexes, IndexKey.init(decoding:)) {
            case .declaration(let number):
                highest.index = max(highest.index, number)
                indexes.numbers.insert(number)
                guard let record = try record(of: entry, .indexes, at: "index \(number)", IndexRecord.init(decoding:))
                else { return }
                if JSONPath(record.path) == nil {
                    try reportFinding(.undecodable, in: .indexes, at: "index \(number)", "its path is none")
                }
                if let other = names.updateValue(number, forKey: Array(record.name.utf8)) {
                    try reportFinding(
                        .duplicate, in: .indexes, at: "index \(number)", "index \(other) has the same name")
                }
            case .entry(let decoded): try verifyEntry(entry, decoded)
            case nil: return
            }
        }
    }

    private func verifyEntry(_ entry: borrowing Entry, _ decoded: IndexEntryKey) throws {
        let location = Self.place(decoded.scope, decoded.index)
        highest.index = max(highest.index, decoded.index)
        indexes.addFound(entry, decoded)
        if !indexes.numbers.contains(decoded.index), !isGarbage(.index, decoded.index), !broken.contains(.garbage) {
            try reportFinding(.orphan, in: .indexes, at: location, "the index has no record")
        }
        if case .generation(let generation) = decoded.scope {
            highest.generation = max(highest.generation, generation)
            if generations[generation] == nil, !damagedGenerations.contains(generation),
                !isGarbage(.generation, generation), !broken.contains(.generations), !broken.contains(.garbage)
            {
                try reportFinding(.orphan, in: .indexes, at: location, "the generation has no record")
            }
        }
        let isWhole = try record(of: entry, .indexes, at: location) { (body) throws(FormatError) in
            guard case .hash(let hash) = decoded.address else { return true }
            _ = try IndexEntryKey.decodeAddress(body)
            return IndexEntryKey.hash(ofAddress: body) == hash
        }
        if isWhole == false {
            try reportFinding(.undecodable, in: .indexes, at: location, "it names a row that it is not of")
        }
    }

    /// Compares indexes with the rows they are over. FORMAT.md, "Invariants".
    func compareIndexes() throws {
        if broken.contains(.rows) || broken.contains(.overlay) || broken.contains(.indexes) { return }
        let places = Set(indexes.expected.keys).union(indexes.found.keys)
        for place in places.sorted() {
            guard isMaintained(place.scope), !indexes.unreadable.contains(place.scope),
                indexes.declared.contains(where: { $0.number == place.index && $0.state == .ready })
            else { continue }
            let expected = indexes.expected[place] ?? WalkedIndexes.Sum()
            let found = indexes.found[place] ?? WalkedIndexes.Sum()
            if expected == found { continue }
            try reportFinding(
                .index, in: .indexes, at: Self.place(place.scope, place.index),
                expected.count == found.count
                    ? "entries are not those that the rows require"
                    : "\(expected.count) entries are required, \(found.count) found")
        }
    }

    /// Returns whether the entries of a scope have to match its rows; those of a generation being written are added
    /// later.
    private func isMaintained(_ scope: IndexEntryKey.Scope) -> Bool {
        switch scope {
        case .generation(let number): generations[number] != nil && !isStaged(number)
        case .overlaid: true
        }
    }

    private static func place(_ scope: IndexEntryKey.Scope, _ index: Int64) -> String {
        switch scope {
        case .generation(let number): "index \(index), generation \(number)"
        case .overlaid(let resource): "index \(index), overlaid rows of \(resource)"
        }
    }
}

/// The entries of secondary indexes, found and expected, of each index in each scope.
struct WalkedIndexes {
    struct Place: Hashable, Comparable {
        let scope: IndexEntryKey.Scope
        let index: Int64

        static func < (left: Place, right: Place) -> Bool {
            let (first, second) = (
                IndexEntryKey.prefix(left.scope, index: left.index),
                IndexEntryKey.prefix(right.scope, index: right.index)
            )
            return first.rawSpan.lexicographicallyPrecedes(second.rawSpan)
        }
    }

    /// The number of entries, and the sum of their hashes.
    struct Sum: Equatable {
        var count = 0
        private var hash: UInt64 = 0

        mutating func add(key: RawSpan, body: RawSpan) {
            count += 1
            hash &+= key.xxh64(seed: body.xxh64(seed: 0))
        }
    }

    /// The indexes whose records can be read.
    var declared: [SecondaryIndex] = []
    /// The numbers of all indexes, damaged or not.
    var numbers: Set<Int64> = []
    /// The scopes in which rows could not be read.
    var unreadable: Set<IndexEntryKey.Scope> = []
    private(set) var expected: [Place: Sum] = [:]
    private(set) var found: [Place: Sum] = [:]
    /// The indexes over the rows read last: rows of one type are adjacent.
    private var last: (scope: IndexEntryKey.Scope, indexes: RowIndexes?, type: String)?

    /// Adds the entries that a row should have.
    mutating func addExpected(
        _ entry: borrowing Entry, _ scope: IndexEntryKey.Scope, _ row: (type: String, key: String),
        of owner: ResourceKey?
    ) {
        guard !declared.isEmpty, let owner else { return }
        if last?.scope != scope || last?.type.utf8.elementsEqual(row.type.utf8) != true {
            let ready = declared.filter { $0.state == .ready }
            last = (scope, RowIndexes(of: ready, over: owner, type: row.type), row.type)
        }
        guard let indexes = last?.indexes else { return }
        let entries: [IndexEntryRecord]? =
            switch scope {
            case .generation(let number):
                try? indexes.entries(
                    of: entry.value, rowKey: entry.key, key: row.key, RowSource(owner: owner, generation: number))
            case .overlaid:
                try? indexes.entries(ofOverlaid: entry.value, at: entry.key, row: row.key, of: owner)
            }
        guard let entries else {
            unreadable.insert(scope)
            return
        }
        for (number, entry) in zip(indexes.numbers, entries) {
            expected[Place(scope: scope, index: number), default: Sum()]
                .add(key: entry.key.rawSpan, body: entry.body.rawSpan)
        }
    }

    /// Adds an entry that was found.
    mutating func addFound(_ entry: borrowing Entry, _ decoded: IndexEntryKey) {
        guard let body = try? Record.openUnverified(entry.value) else { return }
        found[Place(scope: decoded.scope, index: decoded.index), default: Sum()]
            .add(key: entry.key, body: body)
    }
}
