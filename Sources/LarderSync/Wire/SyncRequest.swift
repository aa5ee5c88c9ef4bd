/// The first request of a run; every further page is requested by the server's `next_page_url`, unchanged.
public struct SyncRequest: Hashable, Sendable {
    /// The start of a run.
    public enum Start: Hashable, Sendable {
        /// With the list of all resources that the filter names.
        case bootstrap
        /// After the run whose final page gave this token for the same filter; not empty.
        case token(String)
    }

    /// The resources to sync.
    public var filter: ResourceFilter
    /// The start of the run.
    public var start: Start
    /// The largest number of mutations on one page; 1 to 100.
    public let perPage: Int

    /// A request; traps when `perPage` is not 1 to 100 or a token is empty.
    public init(filter: ResourceFilter, start: Start, perPage: Int = 100) {
        precondition((1...100).contains(perPage), "a page size of \(perPage) is not 1 to 100")
        precondition(start != .token(""), "an empty token")
        self.filter = filter
        self.start = start
        self.perPage = perPage
    }

    /// The path with its query; all that is not unreserved in RFC 3986 §2.3 is percent-encoded in values.
    public var path: ServerPath {
        let begin =
            switch start {
            case .bootstrap: "bootstrap=true"
            case .token(let token): "sync_token=\(token.percentEncoded)"
            }
        let resources = filter.description.percentEncoded
        return ServerPath(
            encoded: "\(ServerPath.prefix)resources/sync?resources=\(resources)&\(begin)&per_page=\(perPage)")
    }
}

/// A request for the events by which a server reports changes of filters.
package struct EventsRequest: Hashable, Sendable {
    /// The longest path in bytes: proxies refuse what is much longer.
    static let longestPath = 4096

    /// The largest number of filters that a server accepts in one request.
    static let mostFilters = 100

    /// The path with its query, which names the number of the change up to which the client has all filters.
    package let path: ServerPath
    /// The canonical texts of the filters that the path names.
    package let filters: [String]

    /// Creates a request for those of the filters that fit into a path, in their order.
    package init(_ filters: [String], after sequence: Int64) {
        var text = "\(ServerPath.prefix)resources/events?after=\(sequence)"
        var named: [String] = []
        for filter in filters {
            let part = "&resources=\(filter.percentEncoded)"
            guard named.count < Self.mostFilters, text.utf8.count + part.utf8.count <= Self.longestPath else {
                continue
            }
            text += part
            named.append(filter)
        }
        path = ServerPath(encoded: text)
        self.filters = named
    }
}

extension String {
    /// The text with every UTF-8 byte encoded that is not unreserved. RFC 3986 §2.3.
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(utf8.count)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
