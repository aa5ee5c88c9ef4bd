import LarderFormat
import LarderStore

/// A store as a few dictionaries.
struct Model {
    /// The server's rows of a resource; nil where it has none.
    var rows: [ResourceKey: [String: [UInt8]]] = [:]
    /// The writes that are to be sent, the first first.
    var writes: [Write] = []

    /// A write, with the row that it replaces or, without a payload, removes.
    struct Write {
        let id: UUIDBytes
        var effect: (key: RowKey, payload: [UInt8]?)?
    }

    /// The rows that readers see: those of the server, with the effects of the writes in their order.
    func shown(_ resource: ResourceKey) -> [String: [UInt8]] {
        var shown = rows[resource] ?? [:]
        for write in writes {
            guard let effect = write.effect, effect.key.resource == resource else { continue }
            shown[effect.key.key] = effect.payload
        }
        return shown
    }

    /// Whether a write has an effect on the resource.
    func hasEffects(on resource: ResourceKey) -> Bool { writes.contains { $0.effect?.key.resource == resource } }
}
