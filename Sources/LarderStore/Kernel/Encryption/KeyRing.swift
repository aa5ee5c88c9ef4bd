internal import LarderEngine
internal import LarderFormat

/// The opened data keys of a store. FORMAT.md, "Sealed values".
final class KeyRing: ValueKeys {
    /// One data key.
    struct Entry {
        let number: UInt32
        /// Its stored form, which shows whether a stored key is this one.
        let wrapped: [UInt8]
        let key: any SealingKey
    }

    /// The keys; few.
    let entries: [Entry]

    init(_ entries: [Entry] = []) { self.entries = entries }

    subscript(number: UInt32) -> Entry? { entries.last { $0.number == number } }

    /// These keys, with others, which count where both have the number of a key.
    func adding(_ others: [Entry]) -> KeyRing {
        KeyRing(entries.filter { entry in !others.contains { $0.number == entry.number } } + others)
    }

    func know(_ sealed: RawSpan) -> Bool {
        // A value that names no key is refused whatever keys there are.
        guard let number = SealedValue.keyNumber(of: sealed) else { return true }
        return self[number] != nil
    }

    func open(_ sealed: RawSpan, of key: RawSpan, in table: Table, into output: inout MutableRawSpan) -> Bool {
        if opens(sealed, of: key, in: table.name, into: &output) { return true }
        SealedValue.writeRefused(into: &output)
        return false
    }

    /// Fills `output` with the plain value; returns false where no key opens it.
    func opens(_ sealed: RawSpan, of key: RawSpan, in table: String, into output: inout MutableRawSpan) -> Bool {
        guard let number = SealedValue.keyNumber(of: sealed), let entry = self[number] else { return false }
        return entry.key.open(
            sealed.extracting(droppingFirst: SealedValue.boxOffset),
            additionalData: SealedValue.additionalData(key: number, table: table, key: key), into: &output)
    }
}
