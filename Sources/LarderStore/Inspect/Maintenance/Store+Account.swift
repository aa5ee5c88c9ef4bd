internal import LarderFormat

extension Store {
    /// Returns the path of the directory for the store of one account, below `base`.
    ///
    /// Each account has a store of its own, so that nothing of one is ever shown to another. The name is 128 bits of
    /// hash (XXH64 with the seeds 0 and 1, in hexadecimal): it does not contain the account, and no two accounts of one
    /// user share it. It does not protect against a user who guesses an identity, or chooses one that collides. If a
    /// server lets users choose identities, pass its own number of the account.
    ///
    /// - Parameters:
    ///   - base: a directory of the program's own.
    ///   - account: the server's name of the account, compared byte for byte: always in the same spelling.
    public static func accountPath(base: String, account: String) -> String {
        let bytes = Array(account.utf8)
        let digits = [UInt64(0), 1].map { seed in
            let text = String(bytes.rawSpan.xxh64(seed: seed), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return base + (base.hasSuffix("/") ? "" : "/") + "account-" + digits.joined()
    }
}
