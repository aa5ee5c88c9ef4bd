import LarderFormat

/// A row whose address fits has a key in each table that may contain it.
enum KeyBudget {
    static func check(_ input: inout FuzzedBytes) {
        let group = input.text()
        let (id, type, key) = (input.integer(), input.text(), input.text())
        let row = RowKey(resource: ResourceKey(group, id), type: type, key: key)
        do throws(FormatError) {
            try RowKeyCoding.checkBudget(resource: row.resource, type: type, key: key)
        } catch {
            guard case .keyTooLong(let actual, let limit) = error, actual > limit else {
                fatalError("\(row) is refused with \(error)")
            }
            return
        }
        do throws(FormatError) {
            try write(row, number: input.integer() & .max, IndexValue.text(input.text()))
        } catch {
            fatalError("\(row) fits, and has no key: \(error)")
        }
    }

    /// Writes the keys of a row, each with a number that is not negative.
    private static func write(_ row: RowKey, number: Int64, _ value: IndexValue) throws(FormatError) {
        var buffer = KeyBuffer()
        try RowKeyCoding.append(generation: number, type: row.type, key: row.key, to: &buffer)
        buffer.removeAll()
        try OverlayKey.append(row, to: &buffer)
        buffer.removeAll()
        try OverlayKey.append(row, sequence: number, to: &buffer)
        let (read, sequence) = try OverlayKey.decode(buffer.bytes)
        require(read == row && sequence == number, "\(row) is read as \(read)")
        buffer.removeAll()
        try CollectionKey.append(membershipOf: row, number: number, to: &buffer)
        buffer.removeAll()
        try CollectionKey.append(validatorsOf: row, to: &buffer)
        guard let term = IndexTerm(value, .binary) else { return }
        for scope in [IndexEntryKey.Scope.generation(max(number, 1)), .overlaid(row.resource)] {
            let body = try IndexEntryKey.encode(
                scope, index: 1 + number % Limits.indexNumber, term: term, type: row.type, key: row.key, to: &buffer)
            let entry = try IndexEntryKey(decoding: buffer.bytes)
            require(entry.scope == scope && entry.term == term, "an index entry is read as \(entry)")
            switch entry.address {
            case .row(let type, let key):
                require(type.equalsBytewise(row.type) && key.equalsBytewise(row.key), "\(row)")
            case .hash(let hash):
                let (type, key) = try IndexEntryKey.decodeAddress(body.rawSpan)
                require(type.equalsBytewise(row.type) && key.equalsBytewise(row.key), "\(row) has another body")
                require(hash == IndexEntryKey.hash(ofAddress: body.rawSpan), "\(row) has another hash")
            }
        }
    }
}
