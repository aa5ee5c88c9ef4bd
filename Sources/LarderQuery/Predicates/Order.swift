/// By what rows are sorted.
public struct Order: Hashable, Sendable {
    let column: String
    let isDescending: Bool

    /// The smallest value first; rows without one before all.
    public static func ascending(_ column: String) -> Order { Order(column: column, isDescending: false) }

    /// The largest value first; rows without one after all.
    public static func descending(_ column: String) -> Order { Order(column: column, isDescending: true) }

    func sql(of table: String) -> String {
        "\(table.quotedName).\(column.quotedName)" + (isDescending ? " DESC" : "")
    }
}
