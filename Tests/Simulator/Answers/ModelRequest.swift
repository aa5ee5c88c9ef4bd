// ModelRequest: the parsed target of a GET.

/// What the target of a GET asks for.
package struct ModelRequest: Hashable, Sendable {
    /// The three ways to ask for a page, and a snapshot.
    enum Kind: Hashable, Sendable {
        case bootstrap
        case changes(ModelTicket.Token?)
        case cursor(ModelTicket.Cursor)
        case snapshot(ModelServer.ResourceID)
    }

    let kind: Kind
    /// The filter named, or that of the cursor; `nil` for a snapshot.
    let filter: ModelFilter?
    let perPage: Int

    /// Whether it asks for a snapshot instead of a page.
    var isCopy: Bool { if case .snapshot = kind { true } else { false } }

    /// Reads a target, from `/api/v4/` on.
    ///
    /// - Throws: the answer, where the target alone decides it.
    static func reading(_ target: String) throws(Refused) -> ModelRequest {
        var path = target.utf8[...]
        guard path.starts(with: root.utf8) else { throw Refused(.problem(404)) }
        path = path.dropFirst(root.utf8.count)
        if path.starts(with: "sync?".utf8) { return try page(Fields(path.dropFirst(5))) }
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual("snapshots".utf8), ModelFilter.isGroup(parts[1]),
            let id = Int64(Substring(parts[2])), id >= 1
        else { throw Refused(.problem(404)) }
        return ModelRequest(
            kind: .snapshot(ModelServer.ResourceID(String(Substring(parts[1])), id)), filter: nil, perPage: 0)
    }

    /// An answer in place of a request.
    struct Refused: Error {
        let answer: ModelAnswer

        init(_ answer: ModelAnswer) { self.answer = answer }
    }

    private static let root = "/api/v4/resources/"

    private static func page(_ fields: Fields?) throws(Refused) -> ModelRequest {
        guard let fields else { throw Refused(.problem(400)) }
        var perPage: Int?
        if let text = fields.perPage {
            guard let number = Int(text), (1...100).contains(number) else { throw Refused(.invalidPageSize) }
            perPage = number
        }
        let filter = fields.resources.flatMap(ModelFilter.init)
        guard filter != nil || fields.resources == nil else { throw Refused(.invalidResources) }
        if let text = fields.cursor {
            guard let cursor = ModelTicket.Cursor(text), fields.token == nil, !fields.isBootstrap else {
                throw Refused(.problem(400))
            }
            guard filter == nil || filter == cursor.filter else { throw Refused(.cursorFilterMismatch) }
            guard perPage == nil || perPage == cursor.perPage else { throw Refused(.cursorPageSizeMismatch) }
            return ModelRequest(kind: .cursor(cursor), filter: cursor.filter, perPage: cursor.perPage)
        }
        guard let filter else { throw Refused(.invalidResources) }
        switch (fields.isBootstrap, fields.token) {
        case (true, nil): return ModelRequest(kind: .bootstrap, filter: filter, perPage: perPage ?? 50)
        case (false, let token?):
            return ModelRequest(kind: .changes(ModelTicket.Token(token)), filter: filter, perPage: perPage ?? 50)
        default: throw Refused(.problem(400))
        }
    }

    /// The parameters of a query.
    private struct Fields {
        var resources: String?
        var cursor: String?
        var token: String?
        var perPage: String?
        var isBootstrap = false

        init?(_ query: Substring.UTF8View) {
            for part in query.split(separator: UInt8(ascii: "&")) {
                guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
                    let value = Self.decoded(part[part.index(after: equals)...])
                else { return nil }
                let name = part[..<equals]
                if name.elementsEqual("resources".utf8) { resources = value }
                if name.elementsEqual("cursor".utf8) { cursor = value }
                if name.elementsEqual("sync_token".utf8) { token = value }
                if name.elementsEqual("per_page".utf8) { perPage = value }
                if name.elementsEqual("bootstrap".utf8) { isBootstrap = value == "true" }
            }
        }

        /// The text behind percent-encoding (RFC 3986 §2.1).
        private static func decoded(_ text: Substring.UTF8View) -> String? {
            guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
            var bytes: [UInt8] = []
            var rest = text
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }
}
