// RowText: the text of a world's rows, a function of resource, key and version.

public import LarderFormat

/// What the rows of a world say: a function of resource, key and version alone.
public enum RowText {
    private static let filler = String(repeating: "0123456789abcdef", count: 512)

    /// The JSON object of one row. Most have a hundred bytes, few fill pages of their own.
    public static func body(_ resource: ResourceKey, _ key: Int, version: Int, large: Int = 6000) -> String {
        let length = key % 997 == 0 ? large : (key &* 31 &+ version) % 64
        let text = filler.utf8.prefix(min(length, filler.utf8.count))
        return "{\"id\":\(key),\"text\":\"\(resource.group) \(resource.id) \(version) \(Substring(text))\"}"
    }
}
