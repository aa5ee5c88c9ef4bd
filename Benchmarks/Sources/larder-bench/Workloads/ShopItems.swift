// ShopItems: rows like those of a shop's catalogue: decimal keys from 1 on, JSON payloads of 110 to 4,000 bytes.

import LarderFormat

/// Rows like those of a shop's catalogue: decimal keys from 1 on, JSON payloads of 110 to 4,000 bytes, 330 on average.
///
/// Numbers of items are permutations of their positions, so that every price and every `sku` is there once, and every
/// category holds 1,000 items. The seed of the texts is fixed.
struct ShopItems: Sendable {
    static let group = "catalogues"
    static let type = "item"
    static let itemsPerCategory = 1_000

    /// The values of an item, as a program decodes them.
    struct Item: Codable, Equatable, Sendable {
        var id: Int
        var sku: String
        var category: Int
        var price: Int
        var stock: Int
        var name: String
        var text: String
    }

    /// The number of items: 100, or a multiple of 1,000 up to 1,000,000.
    let count: Int
    /// Shifts names, texts and stocks, so that two versions of an item differ.
    var version = 0

    var categories: Int { max(1, count / Self.itemsPerCategory) }

    static func resource(_ number: Int) -> ResourceKey { ResourceKey(group, Int64(number)) }

    /// The item at a position, from 0 on.
    subscript(_ row: Int) -> Item {
        Item(
            id: row + 1, sku: sku(row &* 104_729 % count), category: row &* 611_953 % categories + 1,
            price: row &* 7_919 % 1_000_000, stock: (row &* 31 &+ version) % 500, name: name(row), text: text(row).plain
        )
    }

    /// The `sku` of a number from 0 on; their order is that of the numbers.
    func sku(_ number: Int) -> String { "sku-" + String(10_000_000 + number) }

    /// The payload of the item at a position.
    func payload(_ row: Int) -> [UInt8] {
        let item = self[row]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + text(row).json.count)
        bytes += "{\"record_type\":\"\(Self.type)\",\"id\":\(item.id),\"sku\":\"\(item.sku)\",".utf8
        bytes += "\"category\":\(item.category),\"price\":\(item.price),\"stock\":\(item.stock),".utf8
        bytes += "\"name\":\"\(item.name)\",\"text\":\"".utf8
        bytes += text(row).json
        bytes += "\"}".utf8
        return bytes
    }

    private func name(_ row: Int) -> String {
        let words = ShopTexts.words
        let number = row &* 2_654_435_761 &+ version &* 97
        return words[number % words.count] + " " + words[number / words.count % words.count]
    }

    private func text(_ row: Int) -> ShopTexts.Text {
        ShopTexts.pool[(row &* 40_503 &+ version &* 97) & (ShopTexts.pool.count - 1)]
    }
}

/// The words and texts of the catalogue, made from a fixed seed.
enum ShopTexts {
    /// A text, and as it stands in JSON.
    struct Text: Sendable {
        var plain: String
        var json: [UInt8]

        init(_ plain: String) {
            self.plain = plain
            json = Array(plain.replacing("\"", with: "\\\"").replacing("\n", with: "\\n").utf8)
        }
    }

    /// Words of two to four syllables, some with an accent.
    static let words: [String] = {
        var generator = SeededRandom(TranslationRows.seed)
        let syllables = [
            "ba", "de", "fi", "go", "lu", "ka", "me", "ni", "ro", "su", "ta", "ve", "wi", "zo", "né", "lö",
        ]
        var words: Set<String> = []
        while words.count < 20_000 {
            let count = Int.random(in: 2...4, using: &generator)
            words.insert((0..<count).map { _ in syllables.randomElement(using: &generator) ?? "" }.joined())
        }
        return words.sorted().shuffled(using: &generator)
    }()

    /// Texts of 0 to 3,800 bytes: half of them short, one in twenty long.
    static let pool: [Text] = {
        var generator = SeededRandom(TranslationRows.seed + 1)
        return (0..<4_096).map { _ in
            let length =
                switch Int.random(in: 0..<20, using: &generator) {
                case 0: Int.random(in: 400...3_800, using: &generator)
                case 1...9: Int.random(in: 60...400, using: &generator)
                default: Int.random(in: 0...60, using: &generator)
                }
            return Text(text(length, &generator))
        }
    }()

    /// A text of at most so many bytes: words, the first ones more often, some in quotes, in lines.
    private static func text(_ length: Int, _ generator: inout SeededRandom) -> String {
        var text = ""
        while true {
            let part = Double.random(in: 0..<1, using: &generator)
            var word = words[Int(part * part * part * Double(words.count))]
            if Int.random(in: 0..<30, using: &generator) == 0 { word = "\"\(word)\"" }
            let separator = text.isEmpty ? "" : Int.random(in: 0..<15, using: &generator) == 0 ? "\n" : " "
            if text.utf8.count + word.utf8.count + 1 > length { return text }
            text += separator + word
        }
    }
}
