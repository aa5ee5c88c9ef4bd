/// Which collections were read lately.
final class CollectionReads: SharedPart {
    /// By their numbers.
    let uses = UseBits()

    init(_ file: OpenFile) {}
}
