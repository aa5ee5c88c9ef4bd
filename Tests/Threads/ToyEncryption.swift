import LarderStore

/// A host whose encryption hides nothing and costs little, with the sizes of the real one.
final class ToyHostKey: HostKey {
    private let number: UInt8

    init(_ number: UInt8) { self.number = number }

    func makeKey() -> [UInt8] { [UInt8](repeating: number, count: 32) }

    func wrap(_ key: [UInt8], additionalData: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 12) + key + [UInt8](repeating: number, count: 16)
    }

    func unwrap(_ wrapped: [UInt8], additionalData: [UInt8]) -> [UInt8]? {
        wrapped.last == number ? Array(wrapped.dropFirst(12).dropLast(16)) : nil
    }

    func sealingKey(_ key: [UInt8]) -> any SealingKey { ToySealingKey() }

    func hash(_ message: [UInt8], key: [UInt8]) -> [UInt8] { [UInt8](repeating: message.first ?? 0, count: 32) }
}

/// A key that changes one bit of each byte.
final class ToySealingKey: SealingKey {
    func seal(_ value: RawSpan, additionalData: [UInt8], into output: inout MutableRawSpan, at offset: Int) {
        // The output is longer than the value by the offset and 28 bytes.
        unsafe output.withUnsafeMutableBytes { bytes in
            for index in offset..<bytes.count { unsafe bytes[index] = 0 }
            for index in 0..<value.byteCount {
                unsafe bytes[offset + 12 + index] = value.unsafeLoad(fromByteOffset: index, as: UInt8.self) ^ 1
            }
        }
    }

    func open(_ box: RawSpan, additionalData: [UInt8], into output: inout MutableRawSpan) -> Bool {
        guard box.byteCount == output.byteCount + 28 else { return false }
        // The counts are compared above.
        unsafe output.withUnsafeMutableBytes { bytes in
            for index in 0..<bytes.count {
                unsafe bytes[index] = box.unsafeLoad(fromByteOffset: 12 + index, as: UInt8.self) ^ 1
            }
        }
        return true
    }
}
