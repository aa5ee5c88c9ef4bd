/// The collections that were read recently.
final class CollectionReads: SharedPart {
    /// The uses, by the numbers of the collections.
    let uses = UseBits()

    init(_ file: FileContext) {}
}
