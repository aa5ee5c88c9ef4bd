import ArgumentParser
import Foundation
import Larder
import LarderStore
import Synchronization

#if Encryption
import LarderEncryption
#endif

/// The key of an encrypted store.
struct KeyArgument: ParsableArguments {
    @Option(
        help: "The key of an encrypted store: a file of 32 bytes, or of 64 hexadecimal digits (or LARDER_KEY_FILE).",
        completion: .file())
    var keyFile: String?

    /// The file that the command line names.
    private static let named = Mutex<String?>(nil)

    func validate() throws {
        if let keyFile { Self.named.withLock { $0 = keyFile } }
    }

    /// The encryption with the key of the command line or of the environment; nil where neither names a file.
    static func encryption() throws -> StoreEncryption? {
        let environment = ProcessInfo.processInfo.environment["LARDER_KEY_FILE"]
        guard let path = named.withLock(\.self) ?? environment, !path.isEmpty else { return nil }
        return try encryption(path)
    }

    /// The encryption with the key in a file.
    static func encryption(_ path: String) throws -> StoreEncryption {
        #if Encryption
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError.system("The key file cannot be read: check the path and its permissions.")
        }
        guard let key = EncryptionKey(bytes: data) ?? hexadecimal(data).flatMap({ EncryptionKey(bytes: $0) }) else {
            throw ToolError.system("The key file holds neither 32 bytes nor 64 hexadecimal digits.")
        }
        return .aes256(key)
        #else
        throw ToolError.system("This cachetool was built without the trait Encryption: build it with that.")
        #endif
    }

    /// The bytes that digits stand for, white space around them aside; nil for other content.
    private static func hexadecimal(_ data: Data) -> [UInt8]? {
        let digits = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// Runs `body`, which opens a store, with the key; where the store turns out to need none, again without it.
    static func withEncryption<Result>(_ body: (StoreEncryption?) throws -> Result) throws -> Result {
        let encryption = try encryption()
        do {
            return try body(encryption)
        } catch StoreError.encryption(.notEncrypted) where encryption != nil {
            return try body(nil)
        } catch StoreError.encryption(.keyMissing) {
            throw ToolError.system("The store is encrypted: name its key with --key-file, or in LARDER_KEY_FILE.")
        } catch StoreError.compressionMissing {
            throw ToolError.system(
                "The store has compressed rows: build cachetool with the trait Compression, which this one has not.")
        } catch StoreError.encryption(.wrongKey) {
            throw ToolError.system("The store is encrypted with another key than the one that is named: check that.")
        }
    }
}
