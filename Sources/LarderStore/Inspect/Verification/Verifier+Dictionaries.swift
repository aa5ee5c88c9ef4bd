internal import LarderEngine
internal import LarderFormat

// The dictionaries of compressed rows, in `meta`.

extension Verifier {
    /// Checks the record of a dictionary. FORMAT.md, "meta".
    func verifyDictionary(_ entry: borrowing Entry, at location: String) throws {
        guard let record = try record(of: entry, .meta, at: location, DictionaryRecord.init(decoding:)) else { return }
        guard let number = record.number, entry.key.equals(DictionaryRecord.key(number).rawSpan) else {
            return try reportFinding(.undecodable, in: .meta, at: location, "the dictionary has another number")
        }
        dictionaries.found.insert(Int64(number))
    }

    /// Compares the dictionaries that the record of them names with those found.
    func compareDictionaries() throws {
        let named = Set(dictionaries.named?.entries.map(\.number) ?? [])
        for number in named.subtracting(dictionaries.found).sorted() {
            try reportFinding(
                .orphan, in: .meta, at: "dictionaries", "dictionary \(number) is missing, which rows may need")
        }
        for number in dictionaries.found.subtracting(named).sorted() {
            try reportFinding(
                .orphan, in: .meta, at: "dictionary \(number)", "no group has the dictionary", severity: .minor)
        }
    }
}
