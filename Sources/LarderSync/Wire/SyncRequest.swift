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
