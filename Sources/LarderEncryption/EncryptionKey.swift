#if Encryption
internal import Crypto

/// A key of 256 bits, with which an app encrypts a store.
///
/// It opens the keys of the store, which are stored in the file. Keep it where the system protects it, such as in the
/// keychain: without it nothing in the store can be read again. Its description does not show it.
///
/// ```swift
/// let key = EncryptionKey.random()
/// keychain.save(key.bytes)
/// ```
public struct EncryptionKey: Sendable, CustomStringConvertible {
    let key: SymmetricKey

    /// The number of bytes of a key.
    public static let size = 32

    /// Makes a key of its bytes; nil unless there are 32 of them. They have to be random: a password is no key.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size else { return nil }
        key = SymmetricKey(data: bytes)
    }

    private init(_ key: SymmetricKey) { self.key = key }

    /// Returns a new random key.
    public static func random() -> EncryptionKey { EncryptionKey(SymmetricKey(size: .bits256)) }

    /// The bytes of the key, to be kept by the app.
    public var bytes: [UInt8] {
        // Copied during the call.
        unsafe key.withUnsafeBytes { unsafe Array($0) }
    }

    /// No more than the type.
    public var description: String { "EncryptionKey" }
}
#endif
