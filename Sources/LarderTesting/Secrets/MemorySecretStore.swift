public import LarderOutbox
private import Synchronization

/// A place for secrets that forgets them with itself; it can be told to fail.
public final class MemorySecretStore: SecretStore {
    /// What every call throws while ``isFailing``.
    public struct Failure: Error {}

    private struct Content {
        var secrets: [SecretName: [UInt8]] = [:]
        var isFailing = false
    }

    private let content = Mutex(Content())

    /// An empty place.
    public init() {}

    /// Whether every call throws ``Failure``.
    public var isFailing: Bool {
        get { content.withLock { $0.isFailing } }
        set { content.withLock { $0.isFailing = newValue } }
    }

    /// All that is kept.
    public var secrets: [SecretName: [UInt8]] { content.withLock { $0.secrets } }

    /// The secret of a name, or nil.
    public func secret(_ name: SecretName) throws -> [UInt8]? {
        try content.withLock { content in
            if content.isFailing { throw Failure() }
            return content.secrets[name]
        }
    }

    /// Keeps a secret, or removes it.
    public func setSecret(_ secret: [UInt8]?, _ name: SecretName) throws {
        try content.withLock { content in
            if content.isFailing { throw Failure() }
            content.secrets[name] = secret
        }
    }
}
