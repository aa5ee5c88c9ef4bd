/// The encryption of a store: every value in its file is sealed with keys that the host's key opens.
///
/// The module `LarderEncryption` makes it, of a key that the app keeps in a place such as the system's keychain. Whether
/// a store is encrypted is decided when it is created; ``Store/copy(to:encryptedWith:progress:)`` makes an encrypted copy
/// of a plain one, and the reverse. Keys of records stay readable, with the names and index values in them: FORMAT.md,
/// "Sealed values".
///
/// ```swift
/// var options = StoreOptions()
/// options.encryption = .aes256(key)
/// let store = try Store.open(at: path, options: options)
/// try store.close()
/// ```
public struct StoreEncryption: Hashable, Sendable {
    package let host: any HostKey

    package init(_ host: any HostKey) { self.host = host }

    /// Whether both are copies of one value.
    public static func == (left: Self, right: Self) -> Bool { left.host === right.host }

    /// Feeds the identity of the value to `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(host)) }
}

/// The reason that an encrypted store, or a plain one, cannot be opened as requested.
///
/// ```swift
/// do {
///     return try Store.open(at: path, options: options)
/// } catch StoreError.encryption(.wrongKey) {
///     print("the key in the keychain is not the one of this store")
/// }
/// ```
public enum EncryptionProblem: Hashable, Sendable {
    /// The store is encrypted, and no key was given.
    case keyMissing
    /// The store is not encrypted, and a key was given.
    case notEncrypted
    /// The store is encrypted with another key.
    case wrongKey
    /// The key is being replaced by another call in this process.
    case replacementUnderWay
    /// A damaged store has lost the record with its keys, so that nothing of it can be read.
    case keysLost

    /// The problem and its remedy.
    var text: String {
        switch self {
        case .keyMissing: "The store is encrypted: open it with its key (StoreOptions.encryption)."
        case .notEncrypted:
            "The store is not encrypted: open it without a key, or make an encrypted copy of it (Store.copy)."
        case .replacementUnderWay: "The key is being replaced by another call: wait for that one."
        case .keysLost: "The file has lost its keys: nothing of it can be read. Restore a copy."
        case .wrongKey: "The store is encrypted with another key: nothing was changed. Open it with that key."
        }
    }
}

/// The host's key, which wraps the keys of stores, with the algorithms of the encryption.
package protocol HostKey: AnyObject, Sendable {
    /// Returns a new random key of 32 bytes.
    func makeKey() -> [UInt8]

    /// Wraps a key, bound to `additionalData`.
    ///
    /// - Throws: the error of the host that supplies the key.
    func wrap(_ key: [UInt8], additionalData: [UInt8]) throws -> [UInt8]

    /// Returns a wrapped key, or nil where it was wrapped with another one or for other data.
    ///
    /// - Throws: the error of the host that supplies the key.
    func unwrap(_ wrapped: [UInt8], additionalData: [UInt8]) throws -> [UInt8]?

    /// The cipher of values with a data key.
    func sealingKey(_ key: [UInt8]) -> any SealingKey

    /// Returns a keyed hash, of 16 bytes or more.
    func hash(_ message: [UInt8], key: [UInt8]) -> [UInt8]
}

/// A data key, which seals values.
package protocol SealingKey: AnyObject, Sendable {
    /// Fills `output` from `offset` to its end with nonce, ciphertext and tag.
    func seal(_ value: RawSpan, additionalData: [UInt8], into output: inout MutableRawSpan, at offset: Int)

    /// Fills `output` with the plain value of `box`, which is nonce, ciphertext and tag; returns false, and may have
    /// changed some of it, where they do not belong together.
    func open(_ box: RawSpan, additionalData: [UInt8], into output: inout MutableRawSpan) -> Bool
}
