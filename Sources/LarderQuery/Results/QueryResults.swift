/// The results of a query, in order, with the work that the query did.
///
/// ```swift
/// let cheap = try query.objects(of: "product", where: "price < ?", [50])
/// for object in cheap { show(object) }
/// print(cheap.facts)
/// ```
public struct QueryResults<Element: Sendable>: RandomAccessCollection, Sendable {
    /// The results as an array.
    public let elements: [Element]
    /// The work that the query did.
    public let facts: QueryFacts

    /// The position of the first result, 0.
    public var startIndex: Int { 0 }
    /// The position after the last result.
    public var endIndex: Int { elements.count }

    /// The result at `position`, at least 0 and below ``endIndex``.
    public subscript(position: Int) -> Element { elements[position] }
}
