public import LarderOutbox
private import Synchronization

/// A store of secrets in memory, which can be set to fail.
public final class MemorySecretStore: SecretStore {
    /// The error of every call while ``isFailing``.
    public struct Failure: Error {}

    private struct Content {
        var secrets: [SecretName: [UInt8]] = [:]
        var isFailing = false
    }

    private let content = Mutex(Content())

    /// An empty store.
    public init() {}

    /// Whether every call throws ``Failure``.
    public var isFailing: Bool {
        get { content.withLock { $0.isFailing } }
        set { content.withLock { $0.isFailing = newValue } }
    }

    /// All stored secrets.
    public var secrets: [SecretName: [UInt8]] { content.withLock { $0.secrets } }

    /// Returns the secret of a name, or nil.
    ///
    /// - Throws: ``Failure`` while ``isFailing``.
    public func secret(_ name: SecretName) throws -> [UInt8]? {
        try content.withLock { content in
            if content.isFailing { throw Failure() }
            return content.secrets[name]
        }
    }

    /// Stores a secret, or removes it.
    ///
    /// - Throws: ``Failure`` while ``isFailing``.
    public func setSecret(_ secret: [UInt8]?, _ name: SecretName) throws {
        try content.withLock { content in
            if content.isFailing { throw Failure() }
            content.secrets[name] = secret
        }
    }
}
