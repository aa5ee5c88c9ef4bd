#if Encryption
internal import Crypto
internal import LarderStore

/// The app's key, with AES-256-GCM and HMAC-SHA-256. FORMAT.md, "Sealed values".
final class AESHostKey: HostKey {
    private let key: @Sendable () throws -> EncryptionKey

    init(_ key: @escaping @Sendable () throws -> EncryptionKey) { self.key = key }

    func makeKey() -> [UInt8] { EncryptionKey.random().bytes }

    func wrap(_ key: [UInt8], additionalData: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(key, using: self.key().key, authenticating: additionalData)
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    func unwrap(_ wrapped: [UInt8], additionalData: [UInt8]) throws -> [UInt8]? {
        let key = try self.key().key
        guard let box = try? AES.GCM.SealedBox(combined: wrapped),
            let opened = try? AES.GCM.open(box, using: key, authenticating: additionalData),
            opened.count == EncryptionKey.size
        else { return nil }
        return Array(opened)
    }

    func sealingKey(_ key: [UInt8]) -> any SealingKey { AESSealingKey(SymmetricKey(data: key)) }

    func hash(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

/// A data key.
final class AESSealingKey: SealingKey {
    private let key: SymmetricKey

    init(_ key: SymmetricKey) { self.key = key }

    func seal(_ value: RawSpan, additionalData: [UInt8], into output: inout MutableRawSpan, at offset: Int) {
        seal(value, additionalData: additionalData, nonce: AES.GCM.Nonce(), into: &output, at: offset)
    }

    /// As ``seal(_:additionalData:into:at:)``, with a nonce that must never be used again with this key.
    func seal(
        _ value: RawSpan, additionalData: [UInt8], nonce: AES.GCM.Nonce, into output: inout MutableRawSpan,
        at offset: Int
    ) {
        // The value is read during the call.
        let box = unsafe value.withUnsafeBytes { bytes in
            unsafe try? AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: additionalData)
        }
        guard let combined = box?.combined, combined.count == output.byteCount - offset else {
            preconditionFailure("AES-GCM refuses a key of 256 bits")
        }
        // The counts are compared above.
        unsafe output.withUnsafeMutableBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: combined)
        }
    }

    func open(_ box: RawSpan, additionalData: [UInt8], into output: inout MutableRawSpan) -> Bool {
        // The box is read during the call.
        let opened = unsafe box.withUnsafeBytes { bytes in
            unsafe (try? AES.GCM.SealedBox(combined: bytes)).flatMap { box in
                try? AES.GCM.open(box, using: key, authenticating: additionalData)
            }
        }
        guard let opened, opened.count == output.byteCount else { return false }
        // The counts are compared above.
        unsafe output.withUnsafeMutableBytes { bytes in unsafe bytes.copyBytes(from: opened) }
        return true
    }
}
#endif
