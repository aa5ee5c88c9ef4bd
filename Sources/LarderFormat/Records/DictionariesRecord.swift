/// The record `meta` ("dictionaries"): the dictionaries that rows are compressed with.
///
/// FORMAT.md, "meta".
package struct DictionariesRecord: TupleRecord, Hashable, Sendable {
    /// A dictionary of a group.
    package struct Entry: Hashable, Sendable {
        /// The number that compressed rows name, 1 or more.
        package var number: Int64
        /// The group whose rows it was made of.
        package var group: String

        /// An entry of these parts.
        package init(number: Int64, group: String) {
            self.number = number
            self.group = group
        }
    }

    /// The number of the next dictionary; none is assigned twice.
    package var next: Int64 = 1
    /// The dictionaries, by number.
    package var entries: [Entry] = []

    /// A record without dictionaries.
    package init() {}

    /// The number of the dictionary that the rows of `group` are compressed with; nil where it has none.
    package func current(of group: String) -> UInt32? {
        entries.last { $0.group.equalsBytewise(group) }.map { UInt32(clamping: $0.number) }
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("next", &next)
        coder.list(&entries, of: Entry(number: 0, group: "")) { coder, entry in
            coder.count("number", &entry.number)
            coder.text(&entry.group)
        }
        let numbers = entries.map(\.number)
        let areInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
        coder.require(areInOrder && numbers.allSatisfy { 1...Int64(UInt32.max) ~= $0 }, "number", numbers.last ?? 0)
        coder.require(next >= 1 && numbers.allSatisfy { $0 < next }, "next", next)
    }

    /// The key, ("dictionaries").
    package static let key = TupleWriter.bytes { $0.append(text: "dictionaries") }
}

/// The record `meta` ("dictionary", number): the bytes of a dictionary.
///
/// FORMAT.md, "meta".
package struct DictionaryRecord: TupleRecord, Hashable, Sendable {
    /// The offset of the number in the bytes.
    private static let numberOffset = 4

    /// A dictionary of Zstandard.
    package var content: [UInt8] = []

    package init() {}

    /// The record of a dictionary, which gets this number.
    ///
    /// - Parameter content: a dictionary with its header, in which the number is replaced.
    package init(number: UInt32, content: [UInt8]) {
        self.content = content
        for index in 0..<4 {
            self.content[Self.numberOffset + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index))
        }
    }

    /// The number in the header; nil for other bytes.
    package var number: UInt32? {
        content.rawSpan.littleEndian(at: Self.numberOffset, as: UInt32.self)
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.bytes(&content)
        coder.require(content.count <= Limits.dictionary, "dictionary", Int64(content.count))
    }

    /// Whether `key` is that of a dictionary.
    package static func isKey(_ key: RawSpan) -> Bool {
        let prefix = prefix
        return key.starts(with: prefix.rawSpan)
    }

    /// The beginning of the keys of all dictionaries, ("dictionary").
    package static let prefix = TupleWriter.bytes { $0.append(text: "dictionary") }

    /// The key ("dictionary", number).
    package static func key(_ number: UInt32) -> [UInt8] {
        TupleWriter.bytes {
            $0.append(text: "dictionary")
            $0.append(integer: Int64(number))
        }
    }
}
