public import LarderFormat

/// The reason an entry was refused.
public enum RejectionReason: Hashable, Sendable {
    /// The server responded with this status.
    case status(Int)
    /// It came after this entry, which was refused or discarded.
    case after(UUIDBytes)
    /// The server holds another version (409 or as the outcome table says), and no resolver is configured.
    case conflict(Int)
    /// The host decided so.
    case host
}

extension RejectionReason: CustomStringConvertible {
    /// The reason, in one line without content.
    public var description: String {
        switch self {
        case .status(let status): "the server refused it (\(status))"
        case .after(let id): "it came after \(id), which was rejected or discarded"
        case .conflict(let status): "the server has another version (\(status))"
        case .host: "the host decided so"
        }
    }
}
