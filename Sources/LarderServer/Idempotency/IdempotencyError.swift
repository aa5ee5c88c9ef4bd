public import LarderFormat

/// An error between a request and its store; the handler's own errors are not included.
public enum IdempotencyError: Error, Hashable, Sendable {
    /// The account's name has more than ``IdempotencyKey/longestAccount`` bytes.
    case accountTooLong(actual: Int)
    /// The text is no valid key.
    case malformedKey
    /// The handler's response is too long to be stored, in bytes; nothing was committed.
    case responseTooLong(actual: Int, limit: Int)
    /// The store's directory contains something other than a key store.
    case notAKeyStore
    /// The store has this format, which this version cannot read.
    case unsupportedFormat(Int64)
    /// A record of the store is damaged. It is unknown whether its request was executed, so it is not executed again.
    case damaged(FormatError)
    /// No table of that name was named when the store was opened.
    case unknownTable(String)
}

extension IdempotencyError: CustomStringConvertible {
    /// A one-line description without the request's content.
    public var description: String {
        switch self {
        case .accountTooLong(let actual):
            "The account's name has \(actual) bytes; at most \(IdempotencyKey.longestAccount) are allowed."
        case .malformedKey: "A key has 1 to \(IdempotencyKey.longestText) visible ASCII characters."
        case .responseTooLong(let actual, let limit):
            "The response has \(actual) bytes, and at most \(limit) are stored: nothing was committed."
        case .notAKeyStore: "The directory holds no store of keys."
        case .unsupportedFormat(let format): "The store of keys has format \(format), which this version cannot read."
        case .damaged(let error): "A stored response is damaged (\(error)): its request is not executed again."
        case .unknownTable(let name): "The table \(name) was not named when the store was opened."
        }
    }
}
