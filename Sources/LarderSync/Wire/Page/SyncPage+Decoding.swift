internal import LarderFormat
internal import LarderJSON

extension SyncPage {
    /// The default limit of a page's body, in bytes: 32 MiB, twice the largest row.
    package static let maximumBody = 32 << 20

    /// The largest number of changes that are read from a page: far more than the 100 that may be requested.
    ///
    /// A change needs more memory than its bytes on the wire, so the limit on the body alone bounds too little.
    package static let maximumMutations = 10_000

    private static let names = [
        "sync_until_sequence", "has_more", "next_page_url", "next_sync_token", "mutations",
    ].map { Array($0.utf8) }
    private static let root = [Array("sync".utf8)]

    /// Reads a page's body.
    ///
    /// - Throws: ``WireError`` with the path of the member that violates the protocol.
    /// - Complexity: O(*n*) for *n* bytes, in one pass.
    package init(decoding body: [UInt8], limit: Int = maximumBody) throws(WireError) {
        guard body.count <= limit else { throw .tooLarge(path: "", limit: limit) }
        var reader = BodyReader(body.rawSpan.bytes)
        try reader.beginObject(path: "")
        var page: SyncPage?
        while try reader.member(of: Self.root) != nil {
            guard page == nil else { throw .duplicate(path: "sync") }
            page = try Self.page(&reader)
        }
        try reader.finish()
        guard let page else { throw .missing(path: "sync") }
        self = page
    }

    private static func page(_ reader: inout BodyReader) throws(WireError) -> SyncPage {
        try reader.beginObject(path: "sync")
        var values = [JSONValue?](repeating: nil, count: names.count)
        var mutations: [Mutation]?
        while let found = try reader.member(of: names) {
            let isMutations = found == names.count - 1
            guard values[found] == nil, !(isMutations && mutations != nil) else {
                throw .duplicate(path: path(found))
            }
            if isMutations {
                mutations = try Self.mutations(&reader)
            } else {
                values[found] = try reader.value()
            }
        }
        guard let mutations else { throw .missing(path: path(4)) }
        return try makePage(values, mutations)
    }

    private static func mutations(_ reader: inout BodyReader) throws(WireError) -> [Mutation] {
        try reader.beginArray(path: path(4))
        var mutations: [Mutation] = []
        while try reader.nextObject(path: "sync.mutations[\(mutations.count)]") {
            let index = mutations.count
            guard index < maximumMutations else { throw .tooMany(path: path(4), limit: maximumMutations) }
            let values = try reader.members(MutationMembers.names, path: "sync.mutations[\(index)]")
            mutations.append(try MutationMembers(values, index: index).mutation(in: reader))
        }
        return mutations
    }

    private static func makePage(_ values: [JSONValue?], _ mutations: [Mutation]) throws(WireError) -> SyncPage {
        let sequence: Int64
        switch values[0] {
        case .integer(let number)?: sequence = number
        case nil, .null?: throw .missing(path: path(0))
        default: throw .wrongType(path: path(0), expected: .integer)
        }
        guard sequence >= 0 else { throw .outOfRange(path: path(0)) }
        let hasMore: Bool
        switch values[1] {
        case .boolean(let flag)?: hasMore = flag
        case nil, .null?: throw .missing(path: path(1))
        default: throw .wrongType(path: path(1), expected: .boolean)
        }
        let nextPageURL = try text(values, 2)
        let nextSyncToken = try text(values, 3)
        guard hasMore ? nextPageURL != nil : nextSyncToken != nil else { throw .missing(path: path(hasMore ? 2 : 3)) }
        guard hasMore ? nextSyncToken == nil : nextPageURL == nil else {
            throw .contradiction(path: path(hasMore ? 3 : 2))
        }
        return SyncPage(
            syncUntilSequence: sequence, hasMore: hasMore, nextPageURL: nextPageURL, nextSyncToken: nextSyncToken,
            mutations: mutations)
    }

    /// Returns the text of a member that must be present, and may be `null`.
    private static func text(_ values: [JSONValue?], _ member: Int) throws(WireError) -> String? {
        switch values[member] {
        case .null?: return nil
        case .string(let text)?:
            guard !text.isEmpty else { throw .empty(path: path(member)) }
            return text
        case nil: throw .missing(path: path(member))
        default: throw .wrongType(path: path(member), expected: .string)
        }
    }

    private static func path(_ member: Int) -> String { "sync".member(names[member]) }
}
