public import LarderFormat

/// The reason a resource is not kept offline.
public enum KeepError: Error, Sendable {
    /// No filter holds the resource: none has named it yet, or those that did were removed.
    case unknownResource(ResourceKey)
    /// Its rows are not in the store, and the path of its snapshot is unknown.
    case noSnapshot(ResourceKey)
    /// The server does not offer its snapshot any more, or its rows cannot be named.
    case notOffered(ResourceKey)
    /// There is no space for it beside the content that must stay. It is unchanged, and pinned only if it was before.
    case noSpace(KeepShortage)
    /// Its snapshot could not be fetched; it stays pinned, and ``ContentSync/keep(_:onStatus:)`` may be called again.
    case sync(SyncError)
    /// The store failed.
    case store(any Error)
}

extension KeepError: CustomStringConvertible {
    /// A description of the error, in one line without content.
    public var description: String {
        switch self {
        case .unknownResource: "No filter holds the resource: sync one that names it first."
        case .noSnapshot: "The path of the resource's snapshot is unknown: sync a filter that names it."
        case .notOffered: "The server does not offer the resource any more."
        case .noSpace(let shortage): "\(shortage.missing) bytes are missing: unpin something, or raise the cap."
        case .sync(let error): "The snapshot could not be fetched. \(error)"
        case .store(let error): "The store failed: \(error)"
        }
    }
}

extension KeepError {
    /// Converts any error into the one that the caller receives.
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
