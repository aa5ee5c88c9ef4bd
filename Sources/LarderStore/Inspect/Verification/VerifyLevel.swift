/// How much ``Store/verify(_:progress:_:)`` reads; each level includes those before it.
///
/// ```swift
/// let summary = try store.verify(.pages) { print($0) }
/// print(summary.findings)  // 0: every page is one that LMDB wrote
/// ```
public enum VerifyLevel: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// The meta pages, the free list and the branch pages; every page of a file up to `EnvironmentOptions.fullCheckLimit`.
    case quick
    /// Every page: its layout, its keys and the separators above them, and that it has one user.
    case pages
    /// Every record: its key, checksum and body.
    case records
    /// What records say of each other: counts, digests, sizes, owners and references.
    case meaning

    /// Whether a level reads less than another.
    public static func < (left: VerifyLevel, right: VerifyLevel) -> Bool { left.rawValue < right.rawValue }
}
