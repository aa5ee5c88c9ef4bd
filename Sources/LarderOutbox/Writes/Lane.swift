/// The queue that a write stands in: what is sent in order.
public enum Lane: Hashable, Sendable {
    /// That of the write's entity, or the global one where it has none.
    case entity
    /// One for everything that names it.
    case global
    /// One of the host's.
    case named(String)

    /// The lane as it is stored.
    package func text(entity: String?) -> String {
        switch self {
        case .entity: entity.map { "entity/\($0)" } ?? Self.globalText
        case .global: Self.globalText
        case .named(let name): "lane/\(name)"
        }
    }

    private static let globalText = "*"
}
