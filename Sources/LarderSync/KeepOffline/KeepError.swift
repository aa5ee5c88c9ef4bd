public import LarderFormat

/// Why a resource is not kept offline.
public enum KeepError: Error, Sendable {
    /// No filter holds the resource: none has named it yet, or those that did were removed.
    case unknownResource(ResourceKey)
    /// Its rows are not here, and nothing says where its full copy is.
    case noFullCopy(ResourceKey)
    /// The server does not offer its full copy any more, or its rows cannot be named.
    case notOffered(ResourceKey)
    /// There is no room for it beside what may not go. It is as it was before, and not pinned.
    case noRoom(KeepShortage)
    /// Its full copy could not be fetched; it stays pinned, and ``ContentSync/keep(_:onStatus:)`` may be called again.
    case sync(SyncError)
    /// The store failed.
    case store(any Error)
}

extension KeepError: CustomStringConvertible {
    /// What happened, in one line without content.
    public var description: String {
        switch self {
        case .unknownResource: "No filter holds the resource: sync one that names it first."
        case .noFullCopy: "Nothing says where the full copy of the resource is: sync a filter that names it."
        case .notOffered: "The server does not offer the resource any more."
        case .noRoom(let shortage): "\(shortage.missing) bytes are missing: unpin something, or raise the cap."
        case .sync(let error): "The full copy could not be fetched. \(error)"
        case .store(let error): "The store failed: \(error)"
        }
    }
}

extension KeepError {
    /// Whatever went wrong, as what the caller is told.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as KeepError: error
            case let error as SyncError: .sync(error)
            case is CancellationError: .sync(.cancelled)
            default: .store(error)
            }
    }
}
