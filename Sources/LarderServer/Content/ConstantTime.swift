/// Compares secrets in a time that does not depend on where two values differ, which shows nothing of the secret.
package enum ConstantTime {
    /// Whether a client's bytes are those of a secret.
    ///
    /// - Complexity: O(*n*) for *n* bytes of `received`, whatever the secret. Reads each byte of `received` once.
    package static func isEqual(_ received: some Collection<UInt8>, to secret: [UInt8]) -> Bool {
        // A last byte of its own for the length, so that an empty secret has one to compare with too.
        let padded = secret + [0]
        var difference = UInt8(0)
        var count = 0
        for byte in received {
            difference |= byte ^ padded[count % padded.count]
            count += 1
        }
        return (count ^ secret.count) | Int(difference) == 0
    }

    /// Whether a client's text is the same bytes as a secret; false without a text.
    package static func isEqual(_ received: String?, to secret: String) -> Bool {
        // Without a text, the empty one is compared, and does not count.
        isEqual((received ?? "").utf8, to: Array(secret.utf8)) && received != nil
    }
}
