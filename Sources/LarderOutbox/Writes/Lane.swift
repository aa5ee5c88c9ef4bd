/// The queue of a write, which is sent in order.
public enum Lane: Hashable, Sendable {
    /// The queue of the write's entity, or the global one where it has none.
    case entity
    /// The one queue for every write that names it.
    case global
    /// A queue named by the host.
    case named(String)

    /// Returns the lane as it is stored.
    package func text(entity: String?) -> String {
        switch self {
        case .entity: entity.map { "entity/\($0)" } ?? Self.globalText
        case .global: Self.globalText
        case .named(let name): "lane/\(name)"
        }
    }

    private static let globalText = "*"
}
