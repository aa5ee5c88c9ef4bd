/// The format that this software reads and writes.
///
/// FORMAT.md, "Versions". `major` and `minor` are descriptive. Software compares `current` with the minimum reader and
/// minimum writer of a store.
public enum FormatVersion {
    /// The descriptive version, first part.
    public static let major: Int64 = 0
    /// The descriptive version, second part.
    public static let minor: Int64 = 9
    /// The format number of this software. Versions 0.5 and 0.9 have the same bytes, so they share it.
    public static let current: Int64 = 5
    /// The smallest `minimumReader` of a store that this software reads: every store since version 0.5. Versions 0.1 to
    /// 0.4 had the numbers 1 to 4.
    package static let oldest: Int64 = 5
    /// The smallest format number that can read a store written by this software.
    package static let minimumReader: Int64 = 5
    /// The smallest format number that can write to a store written by this software.
    package static let minimumWriter: Int64 = 5
}

/// The feature bits that a store is marked with, in three sets by what an unknown bit means.
///
/// FORMAT.md, "Versions". Bits that are not defined there are unknown.
package struct FormatFeatures: Hashable, Sendable {
    /// The features that software must know to read the store.
    package var incompatible: UInt64
    /// The features that software must know to write to the store; others can still read it.
    package var readOnlyCompatible: UInt64
    /// The features that may be ignored.
    package var compatible: UInt64

    /// Creates a set; without arguments, the empty one.
    package init(incompatible: UInt64 = 0, readOnlyCompatible: UInt64 = 0, compatible: UInt64 = 0) {
        self.incompatible = incompatible
        self.readOnlyCompatible = readOnlyCompatible
        self.compatible = compatible
    }

    /// The features that this software knows when it writes. Published and diagnostic copies are never written, so their
    /// bits are none of them.
    package static let known = FormatFeatures(incompatible: 3)

    /// Whether all values are sealed, except those of the records that are needed to open them.
    package var isSealed: Bool {
        get { incompatible & 1 != 0 }
        set { incompatible = newValue ? incompatible | 1 : incompatible & ~1 }
    }

    /// Whether values of rows may be compressed.
    package var isCompressed: Bool {
        get { incompatible & 2 != 0 }
        set { incompatible = newValue ? incompatible | 2 : incompatible & ~2 }
    }

    /// Whether the file is a published copy: replaced as a whole, never written.
    package var isPublished: Bool {
        get { readOnlyCompatible & 1 != 0 }
        set { readOnlyCompatible = newValue ? readOnlyCompatible | 1 : readOnlyCompatible & ~1 }
    }

    /// Whether the file is a diagnostic copy: without content, never written.
    package var isDiagnostic: Bool {
        get { readOnlyCompatible & 2 != 0 }
        set { readOnlyCompatible = newValue ? readOnlyCompatible | 2 : readOnlyCompatible & ~2 }
    }
}

/// The access that this software has to a store that it can read.
public enum FormatAccess: Hashable, Sendable {
    /// Read and write.
    case readWrite
    /// Read only: the store needs a newer writer, or uses a feature that only a newer writer maintains.
    case readOnly
}
