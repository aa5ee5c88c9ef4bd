import LarderFormat
import LarderStore

extension ResponseAddress {
    /// The place as a value of an address: hash, variant and the beginning of the key.
    var text: String { "\(hash).\(variant).\(keyPrefix)" }

    /// The place that ``text`` names; nil for another text.
    init?(text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let hash = Int64(parts[0]), let variant = Int64(parts[1]), variant > 0 else {
            return nil
        }
        self.init(keyPrefix: String(parts[2]), hash: hash, variant: variant)
    }
}

extension ReadView {
    /// Returns the response at a place; nil where there is none, or a damaged one.
    borrowing func response(at place: ResponseAddress) throws -> ResponseRecord? {
        let previous = ResponseAddress(keyPrefix: place.keyPrefix, hash: place.hash, variant: place.variant - 1)
        return try responses(after: previous, limit: 1).first { $0.place == place }?.record
    }
}
