/// An order that rows are sorted by.
public struct Order: Hashable, Sendable {
    let column: String
    let isDescending: Bool

    /// Returns the order with the smallest value first; rows without one before all.
    public static func ascending(_ column: String) -> Order { Order(column: column, isDescending: false) }

    /// Returns the order with the largest value first; rows without one after all.
    public static func descending(_ column: String) -> Order { Order(column: column, isDescending: true) }

    func sql(of table: String) -> String {
        "\(table.quotedName).\(column.quotedName)" + (isDescending ? " DESC" : "")
    }
}
