internal import LarderFormat
internal import LarderJSON
internal import LarderStore

/// The words of all rows of one searched table.
struct Corpus {
    /// The words of one resource, and the state of the rows they were read from.
    struct Part {
        let id: Int64
        let resource: ResourceKey
        let stamp: RowStamp
    }

    let id: Int64

    /// The name of the FTS5 table; its row numbers are those of ``known``.
    var words: String { "words_\(id)" }
    /// The name of the table of the rows with words in it: by part and key, with the row's checksum and a hash of its
    /// words.
    var known: String { "known_\(id)" }
}

extension WordIndex {
    /// Returns the existing corpus of a table; nil when there is none.
    func existingCorpus(_ table: TableDefinition) throws -> Corpus? {
        try rows("SELECT id FROM corpora WHERE definition = ?", [.text(table.searchDefinition)]).first?[0].integer
            .map { Corpus(id: $0) }
    }

    /// Creates a corpus without any words.
    func makeCorpus(_ table: TableDefinition) throws -> Corpus {
        try connection.execute("INSERT INTO corpora (definition) VALUES (?)", [.text(table.searchDefinition)])
        let corpus = Corpus(id: try rows("SELECT last_insert_rowid()")[0][0].integer ?? 0)
        let columns = table.searched.indices.map { "c\($0)" }.joined(separator: ", ")
        try connection.execute(
            "CREATE VIRTUAL TABLE \(corpus.words) USING fts5(\(columns), tokenize = '\(table.tokenizer.text)')")
        try connection.execute(
            """
            CREATE TABLE \(corpus.known) (
            id INTEGER PRIMARY KEY, part INTEGER NOT NULL, key TEXT NOT NULL, checksum INTEGER NOT NULL, words INTEGER NOT NULL,
            UNIQUE (part, key))
            """)
        return corpus
    }

    /// Returns the parts of a corpus, by their resources.
    func parts(of corpus: Corpus) throws -> [ResourceKey: Corpus.Part] {
        let found = try rows(
            #"SELECT id, "group", resource, generation, digest, count FROM parts WHERE corpus = ?"#,
            [.integer(corpus.id)]
        ).compactMap { row -> Corpus.Part? in
            guard let id = row[0].integer, let group = row[1].text, let number = row[2].integer,
                let generation = row[3].integer, let digest = row[4].integer, let count = row[5].integer
            else { return nil }
            let stamp = RowStamp(generation: generation, digest: UInt64(bitPattern: digest), count: count)
            return Corpus.Part(id: id, resource: ResourceKey(group, number), stamp: stamp)
        }
        return Dictionary(found.map { ($0.resource, $0) }) { first, _ in first }
    }

    /// Creates a part for the words of a resource, without any.
    func makePart(of resource: ResourceKey, in corpus: Corpus) throws -> Corpus.Part {
        try connection.execute(
            #"INSERT INTO parts (corpus, "group", resource, generation, digest, count) VALUES (?, ?, ?, 0, 0, 0)"#,
            [.integer(corpus.id), .text(resource.group), .integer(resource.id)])
        let id = try rows("SELECT last_insert_rowid()")[0][0].integer ?? 0
        return Corpus.Part(id: id, resource: resource, stamp: .none)
    }

    /// Marks the words of a resource as those of its rows in the read view.
    func mark(_ part: Corpus.Part, as rows: RowStamp) throws {
        try connection.execute(
            "UPDATE parts SET generation = ?, digest = ?, count = ? WHERE id = ?",
            [
                .integer(rows.generation), .integer(Int64(bitPattern: rows.digest)), .integer(rows.count),
                .integer(part.id),
            ])
    }

    /// Drops the words of rows that are not read any more: in `corpus` those of all resources but `current`, in others
    /// those of generations that are not in `live`.
    func drop(in corpus: Corpus, except current: [ResourceKey], others live: Set<Int64>) throws {
        let currentResources = Set(current)
        for row in try rows("SELECT id FROM corpora") {
            guard let id = row[0].integer else { continue }
            let other = Corpus(id: id)
            let parts = try parts(of: other).values
            let stale = parts.filter { part in
                id == corpus.id ? !currentResources.contains(part.resource) : !live.contains(part.stamp.generation)
            }
            if stale.count == parts.count, id != corpus.id {
                try connection.execute("DROP TABLE \(other.words)")
                try connection.execute("DROP TABLE \(other.known)")
                try connection.execute("DELETE FROM parts WHERE corpus = ?", [.integer(id)])
                try connection.execute("DELETE FROM corpora WHERE id = ?", [.integer(id)])
            } else {
                for part in stale { try drop(part, in: other) }
            }
        }
    }

    private func drop(_ part: Corpus.Part, in corpus: Corpus) throws {
        for sql in [
            "DELETE FROM \(corpus.words) WHERE rowid IN (SELECT id FROM \(corpus.known) WHERE part = ?)",
            "DELETE FROM \(corpus.known) WHERE part = ?", "DELETE FROM parts WHERE id = ?",
        ] { try connection.execute(sql, [.integer(part.id)]) }
        try purgeRemoved(from: corpus)
    }

    /// Makes FTS5 remove the words of removed rows by a merge of all it has; it otherwise does so little by little.
    func purgeRemoved(from corpus: Corpus) throws {
        try connection.execute("INSERT INTO \(corpus.words) (\(corpus.words)) VALUES ('optimize')")
    }
}

extension TableDefinition {
    /// The text of all that the words of a table depend on beside its rows.
    fileprivate var searchDefinition: String {
        let scopeText: [String] =
            switch scope {
            case .resource(let key): [key.group, "\(key.id)"]
            case .group(let group): [group, ""]
            }
        return (scopeText + [type, tokenizer.text] + searchedPaths.map(\.text)).map(\.quotedName).joined(separator: " ")
    }

    /// The paths of the searched columns in payloads, in their order.
    var searchedPaths: [JSONPath] {
        searched.compactMap { field in
            columns.first { $0.name.asciiLowercased == field.column.asciiLowercased }?.path
        }
    }
}
