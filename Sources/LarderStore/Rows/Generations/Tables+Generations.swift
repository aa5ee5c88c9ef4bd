internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// The generations in one state; those whose records are damaged are left out.
    func generations<Source: TableReader & ~Copyable>(
        in state: GenerationRecord.State, _ source: borrowing Source
    ) throws -> [(number: Int64, record: GenerationRecord)] {
        var found: [(number: Int64, record: GenerationRecord)] = []
        try source.withReadCursor(in: generations) { cursor in
            while let entry = try cursor.next() {
                let decoded = try? decoding(.generations) { () throws(FormatError) in
                    let body = try Record.open(entry.value, key: entry.key, seed: TableName.generations.seed)
                    return (try GenerationRecord.decodeKey(entry.key), try GenerationRecord(decoding: body))
                }
                guard let (number, record) = decoded, record.state == state else { continue }
                found.append((number, record))
            }
        }
        return found
    }
}
