public import LarderFormat

/// Why an entry was refused.
public enum RejectionReason: Hashable, Sendable {
    /// The server answered with this status.
    case status(Int)
    /// It came after this entry, which was refused or given up.
    case after(UUIDBytes)
    /// The server holds something else (409 or as the table says), and nobody resolves it.
    case conflict(Int)
    /// The host said so.
    case host
}

extension RejectionReason: CustomStringConvertible {
    /// Why, in one line without content.
    public var description: String {
        switch self {
        case .status(let status): "the server refused it (\(status))"
        case .after(let id): "it came after \(id), which was refused or given up"
        case .conflict(let status): "the server holds something else (\(status))"
        case .host: "the host decided so"
        }
    }
}
