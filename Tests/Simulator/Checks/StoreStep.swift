internal import LarderFormat

/// What was done to the store before it is looked at. Filters by their canonical text; eras are the server's when it was
/// asked.
enum StoreStep {
    case opened
    /// A write was enqueued, or its delivery went on.
    case wrote
    case removed(String)
    case began(String)
    case rejected(String)
    case listed(String)
    case applied(String, [ResourceKey], era: Int)
    case noted
    case staged
    case swapped(String, ResourceKey, era: Int)
    case missing(String, ResourceKey, era: Int)
    case finished(String, token: String)
}
