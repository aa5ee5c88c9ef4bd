/// The members of one record of a snapshot that a row key can be made of, captured while it was read.
public struct RecordFields: Sendable {
    /// The members that are always captured.
    static let standardNames: [String] = ["id", "record_type", "record_key"]

    /// The standard names, then the further ones.
    let names: [[UInt8]]
    /// The values, one for each name; `nil` for a member that the record does not have.
    var values: [JSONScalar?]

    /// Fields as if read from a record, for tests of a mapping.
    public init(_ members: [String: JSONScalar]) {
        names = members.keys.map { Array($0.utf8) }
        values = members.values.map { $0 }
    }

    /// Fields without values for the standard members and those of `further` names.
    init(further: [String]) {
        let all = Self.standardNames + further.filter { !Self.standardNames.contains($0) }
        names = all.map { Array($0.utf8) }
        values = Array(repeating: nil, count: all.count)
    }

    /// The member of that name, escapes decoded; `nil` when the record has none or it is not captured.
    public subscript(name: String) -> JSONScalar? {
        guard let index = names.firstIndex(where: { $0.count == name.utf8.count && $0.elementsEqual(name.utf8) }) else {
            return nil
        }
        return values[index]
    }

    /// Removes the values of the record before.
    mutating func clear() {
        for index in values.indices { values[index] = nil }
    }
}

/// One record of a snapshot.
package struct CapturedRecord: Sendable {
    /// The bytes of the record on the wire, braces included.
    package internal(set) var bytes: [UInt8] = []
    /// The members that a key is made of.
    package internal(set) var fields: RecordFields
}

/// A JSON value as far as a key can be made of it.
public enum JSONScalar: Hashable, Sendable {
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// A string, escapes decoded.
    case string(String)
    /// `null`, which means the same as absence.
    case null
    /// Anything else: a boolean, another number, an object, an array.
    case other
}
