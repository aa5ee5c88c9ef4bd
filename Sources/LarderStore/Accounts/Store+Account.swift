extension Store {
    /// The directory for the store of one account, below `base`.
    ///
    /// Each account has a store of its own, so that nothing of one is ever shown to another. The name is a hash of the
    /// account's identity (SHA-256, in hexadecimal), which it does not tell; but whoever can guess an identity can check
    /// the guess, so one that nobody can guess is best.
    ///
    /// - Parameters:
    ///   - base: a directory of the program's own.
    ///   - account: the server's name of the account, compared byte for byte: always in the same spelling.
    public static func accountPath(base: String, account: String) -> String {
        let digits = SHA256.hash(Array(account.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return base + (base.hasSuffix("/") ? "" : "/") + "account-" + digits.joined()
    }
}
