/// The members of a snapshot's root that were read so far.
struct HeaderMembers: Sendable {
    static let names = [
        "resource_group", "resource_id", "resource_content_id", "schema_version", "sync_sequence", "records",
    ].map { Array($0.utf8) }

    /// The index of `records` in the names.
    static let records = 5

    private var isSeen = [Bool](repeating: false, count: names.count)
    private var group: String?
    /// The integers, at the indexes of their names.
    private var integers = [Int64?](repeating: nil, count: names.count)

    /// Records that a member's name was read.
    mutating func markSeen(_ member: Int) throws(WireError) {
        guard !isSeen[member] else { throw .duplicate(path: Self.path(member)) }
        isSeen[member] = true
    }

    /// Stores a member's value.
    mutating func set(_ member: Int, to value: JSONScalar) throws(WireError) {
        let path = Self.path(member)
        switch (member, value) {
        case (2, .null):
            break
        case (_, .null):
            throw .missing(path: path)
        case (0, .string(let text)):
            guard !text.isEmpty else { throw .empty(path: path) }
            group = text
        case (0, _):
            throw .wrongType(path: path, expected: .string)
        case (_, .integer(let number)):
            guard number >= (member == 1 ? 1 : 0) else { throw .outOfRange(path: path) }
            integers[member] = number
        case (_, .string), (_, .other):
            throw .wrongType(path: path, expected: .integer)
        }
    }

    /// Whether the members read so far name another resource.
    func isForeign(to group: String, _ id: Int64) -> Bool {
        if let named = self.group, !named.utf8.elementsEqual(group.utf8) { return true }
        return integers[1].map { $0 != id } ?? false
    }

    /// Returns the header, after the text has ended.
    func makeHeader(recordCount: Int) throws(WireError) -> SnapshotHeader {
        guard let group else { throw .missing(path: Self.path(0)) }
        guard let id = integers[1] else { throw .missing(path: Self.path(1)) }
        guard let schemaVersion = integers[3] else { throw .missing(path: Self.path(3)) }
        guard let sequence = integers[4] else { throw .missing(path: Self.path(4)) }
        guard isSeen[Self.records] else { throw .missing(path: Self.path(Self.records)) }
        return SnapshotHeader(
            group: group, id: id, contentID: integers[2], schemaVersion: schemaVersion, sequence: sequence,
            recordCount: recordCount)
    }

    private static func path(_ member: Int) -> String { "".member(names[member]) }
}
