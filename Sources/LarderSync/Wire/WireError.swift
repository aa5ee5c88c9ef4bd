public import LarderJSON

/// The reason a server's response cannot be used. No case holds content of the response: only names that the protocol
/// fixes.
///
/// A `path` names a member as `sync.mutations[3].record_key`; the text as a whole is the empty path.
public enum WireError: Error, Hashable, Sendable {
    /// The body is no acceptable JSON text, or was cut off.
    case json(JSONError)
    /// A required member is absent, or `null` where it may not be.
    case missing(path: String)
    /// A member that is interpreted occurs twice in one object, so it is ambiguous.
    case duplicate(path: String)
    /// A member has another JSON type than the protocol requires.
    case wrongType(path: String, expected: JSONKind)
    /// A number is outside the range of its member, or does not fit 64 bits.
    case outOfRange(path: String)
    /// A string that names something is empty.
    case empty(path: String)
    /// A date-time is not one of RFC 3339.
    case invalidDate(path: String)
    /// Members contradict each other, such as a final page that names a next one.
    case contradiction(path: String)
    /// A mutation's sequence is not above the one before it.
    case outOfOrder(path: String)
    /// A mutation's sequence is beyond the run's `sync_until_sequence`.
    case beyondRun(path: String)
    /// A body or a record is longer than its limit, in bytes.
    case tooLarge(path: String, limit: Int)
    /// An array has more elements than its limit.
    case tooMany(path: String, limit: Int)
    /// A row of a snapshot has no type, and its group has no default one.
    case unknownGroup
    /// A row of a snapshot lacks the members of its key.
    case noRecordKey(path: String)
    /// A path that the server sent must not be requested.
    case unsafePath(ServerPath.Fault)
}

/// The types of JSON values that the protocol distinguishes.
public enum JSONKind: String, Hashable, Sendable {
    /// A number without fraction and exponent.
    case integer
    /// A string.
    case string
    /// `true` or `false`.
    case boolean
    /// An array.
    case array
    /// An object.
    case object
}

extension WireError: CustomStringConvertible {
    /// A description in one line, without content of the response.
    public var description: String {
        switch self {
        case .json(let error): error.description
        case .missing(let path): "\(Self.shown(path)) is missing"
        case .duplicate(let path): "\(Self.shown(path)) occurs twice"
        case .wrongType(let path, let expected): "\(Self.shown(path)) is not of type \(expected.rawValue)"
        case .outOfRange(let path): "\(Self.shown(path)) is out of range"
        case .empty(let path): "\(Self.shown(path)) is empty"
        case .invalidDate(let path): "\(Self.shown(path)) is not an RFC 3339 date-time"
        case .contradiction(let path): "\(Self.shown(path)) contradicts another member"
        case .outOfOrder(let path): "\(Self.shown(path)) is not above the sequence before it"
        case .beyondRun(let path): "\(Self.shown(path)) is beyond sync_until_sequence"
        case .tooLarge(let path, let limit): "\(Self.shown(path)) is longer than \(limit) bytes"
        case .tooMany(let path, let limit): "\(Self.shown(path)) has more than \(limit) elements"
        case .unknownGroup: "a record has no record_type, and its group has no default"
        case .noRecordKey(let path): "\(Self.shown(path)) yields no record key"
        case .unsafePath(let fault): "a path from the server is not usable: \(fault)"
        }
    }

    private static func shown(_ path: String) -> String { path.isEmpty ? "the body" : path }
}
