internal import LarderJSON
internal import LarderTransport

/// The members of one mutation as received, with the rules for each.
struct MutationMembers {
    /// The names of the members that are read; `resource_content_id` and `source_record_id` are not, since nothing may
    /// rely on them.
    static let names = [
        "sequence", "type", "resource_group", "resource_id", "record_type", "record_key", "changed_at", "data",
        "snapshot_url", "unavailable_reason",
    ].map { Array($0.utf8) }

    private let values: [JSONValue?]
    private let index: Int

    init(_ values: [JSONValue?], index: Int) {
        self.values = values
        self.index = index
    }

    /// Returns the mutation, checked.
    func mutation(in reader: borrowing BodyReader) throws(WireError) -> Mutation {
        let type = MutationType(rawValue: try text(1))
        var mutation = Mutation(
            sequence: try integer(0, atLeast: 0), type: type,
            resource: Mutation.Resource(group: try text(2), id: try integer(3, atLeast: 1)))
        guard type.isKnown else { return withValidMembers(mutation, in: reader) }
        mutation.recordType = type.isRow ? try text(4) : nil
        mutation.recordKey = type.isRow ? try text(5) : nil
        guard let changedAt = RFC3339.milliseconds(of: try text(6)) else { throw .invalidDate(path: path(6)) }
        mutation.changedAt = changedAt
        if type == .rowCreate || type == .rowUpdate { mutation.data = reader.bytes(in: try object(7)) }
        mutation.snapshotURL = type.needsSnapshot ? try text(8) : nil
        mutation.unavailableReason = try optionalText(9)
        return mutation
    }

    /// Returns a mutation of an unknown type with each member that has the form it would have in a known type.
    private func withValidMembers(_ mutation: Mutation, in reader: borrowing BodyReader) -> Mutation {
        var mutation = mutation
        mutation.recordType = values[4]?.text
        mutation.recordKey = values[5]?.text
        mutation.changedAt = values[6]?.text.flatMap(RFC3339.milliseconds(of:))
        if case .object(let range)? = values[7] { mutation.data = reader.bytes(in: range) }
        mutation.snapshotURL = values[8]?.text
        mutation.unavailableReason = values[9]?.text
        return mutation
    }

    private func path(_ member: Int) -> String { "sync.mutations[\(index)]".member(Self.names[member]) }

    private func text(_ member: Int) throws(WireError) -> String {
        guard let text = try optionalText(member) else { throw .missing(path: path(member)) }
        guard !text.isEmpty else { throw .empty(path: path(member)) }
        return text
    }

    private func optionalText(_ member: Int) throws(WireError) -> String? {
        switch values[member] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .wrongType(path: path(member), expected: .string)
        }
    }

    private func integer(_ member: Int, atLeast minimum: Int64) throws(WireError) -> Int64 {
        switch values[member] {
        case .integer(let number)?:
            guard number >= minimum else { throw .outOfRange(path: path(member)) }
            return number
        case nil, .null?: throw .missing(path: path(member))
        default: throw .wrongType(path: path(member), expected: .integer)
        }
    }

    private func object(_ member: Int) throws(WireError) -> Range<Int> {
        switch values[member] {
        case .object(let range)?: return range
        case nil, .null?: throw .missing(path: path(member))
        default: throw .wrongType(path: path(member), expected: .object)
        }
    }
}
