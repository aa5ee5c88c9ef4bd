/// The format that this software reads and writes.
///
/// FORMAT.md, "Versions". `major` and `minor` describe; what is compared is `current`, with the minimum reader and
/// minimum writer that a store names.
public enum FormatVersion {
    /// The describing version, first part: 0 while the format is free to change.
    public static let major: Int64 = 0
    /// The describing version, second part.
    public static let minor: Int64 = 5
    /// The format number of this software.
    public static let current: Int64 = 5
    /// The smallest `minimumReader` of a store that this software reads: while `major` is 0, versions do not read each
    /// other's stores.
    package static let oldest: Int64 = 5
    /// The smallest format number that can read what this software writes.
    package static let minimumReader: Int64 = 5
    /// The smallest format number that can write what this software writes.
    package static let minimumWriter: Int64 = 5
}

/// The feature bits that a store is marked with, in three sets by what an unknown bit means.
///
/// FORMAT.md, "Versions". No bit is defined yet, so every set bit is unknown.
package struct FormatFeatures: Hashable, Sendable {
    /// Without knowing these, a store cannot be read.
    package var incompatible: UInt64
    /// Without knowing these, a store can be read but not written.
    package var readOnlyCompatible: UInt64
    /// These may be ignored.
    package var compatible: UInt64

    /// Makes a set; without arguments, the empty one.
    package init(incompatible: UInt64 = 0, readOnlyCompatible: UInt64 = 0, compatible: UInt64 = 0) {
        self.incompatible = incompatible
        self.readOnlyCompatible = readOnlyCompatible
        self.compatible = compatible
    }

    /// The features that this software knows.
    package static let known = FormatFeatures()
}

/// What this software may do with a store that it can read.
public enum FormatAccess: Hashable, Sendable {
    /// Read and write.
    case readWrite
    /// Read only: the store needs a newer writer, or uses a feature that only a newer writer keeps up.
    case readOnly
}
