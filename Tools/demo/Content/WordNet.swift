import Foundation
import LarderJSON
import LarderServer

/// The lexical database that Debian's package `wordnet-base` installs, as content of the group `wordnet`.
///
/// Nouns, verbs, adjectives and adverbs are the resources 1 to 4; each row is a set of synonyms, 117,659 in all for
/// WordNet 3.0. Its key is the number that other rows use to refer to it.
struct WordNet {
    /// The error for a line that the manual page wndb(5) does not describe.
    struct Unreadable: Error, CustomStringConvertible {
        let file: String
        let line: Int

        var description: String { "\(file):\(line): not a line of a WordNet data file" }
    }

    /// The directory of the files `data.noun` and so on.
    var directory = "/usr/share/wordnet"

    private static let files: [(id: Int64, name: String)] = [
        (1, "data.noun"), (2, "data.verb"), (3, "data.adj"), (4, "data.adv"),
    ]

    /// Collects all rows.
    ///
    /// - Returns: The number of rows.
    /// - Throws: ``Unreadable``; the errors of reading a file.
    func load(into loader: inout ContentLoader) throws -> Int {
        var count = 0
        for (id, name) in Self.files {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: directory).appending(path: name)))
            let resource = Origin.ResourceID("wordnet", id)
            for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                // The licence at the top is indented; synsets are not.
                guard let first = line.first, first != UInt8(ascii: " ") else { continue }
                guard let synset = Synset(String(decoding: line, as: UTF8.self)) else {
                    throw Unreadable(file: name, line: index + 1)
                }
                loader.add(synset.row, to: resource)
                count += 1
            }
        }
        return count
    }
}

/// One line of a data file: a set of synonyms with its gloss and its pointers.
private struct Synset {
    struct Pointer {
        let symbol: String
        let offset: Int64
        let partOfSpeech: String
    }

    let offset: Int64
    let partOfSpeech: String
    let lexname: Int64
    let lemmas: [String]
    let pointers: [Pointer]
    let gloss: String

    /// Parses `offset lexname pos count (word id)… count (symbol offset pos source/target)… | gloss`.
    init?(_ line: String) {
        guard let bar = line.range(of: " | ") else { return nil }
        var fields = line[..<bar.lowerBound].split(separator: " ")[...]
        guard let offset = fields.popFirst().flatMap({ Int64($0) }),
            let lexname = fields.popFirst().flatMap({ Int64($0) }), let partOfSpeech = fields.popFirst(),
            let words = fields.popFirst().flatMap({ Int($0, radix: 16) })
        else { return nil }
        var lemmas: [String] = []
        for _ in 0..<words {
            guard let word = fields.popFirst(), fields.popFirst() != nil else { return nil }
            lemmas.append(String(word).replacing("_", with: " "))
        }
        guard let count = fields.popFirst().flatMap({ Int($0) }) else { return nil }
        var pointers: [Pointer] = []
        for _ in 0..<count {
            guard let symbol = fields.popFirst(), let target = fields.popFirst().flatMap({ Int64($0) }),
                let part = fields.popFirst(), fields.popFirst() != nil
            else { return nil }
            pointers.append(Pointer(symbol: String(symbol), offset: target, partOfSpeech: String(part)))
        }
        self.offset = offset
        self.partOfSpeech = String(partOfSpeech)
        self.lexname = lexname
        self.lemmas = lemmas
        self.pointers = pointers
        gloss = line[bar.upperBound...].trimmingCharacters(in: .whitespaces)
    }

    var row: Origin.Row {
        var writer = JSONWriter()
        writer.raw("{\"id\":")
        writer.integer(offset)
        writer.raw(",\"pos\":")
        writer.string(partOfSpeech)
        writer.raw(",\"lemmas\":[")
        for (index, lemma) in lemmas.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.string(lemma)
        }
        writer.raw("],\"lexname\":")
        writer.integer(lexname)
        writer.raw(",\"pointers\":[")
        for (index, pointer) in pointers.enumerated() {
            writer.raw(index > 0 ? ",{\"symbol\":" : "{\"symbol\":")
            writer.string(pointer.symbol)
            writer.raw(",\"id\":")
            writer.integer(pointer.offset)
            writer.raw(",\"pos\":")
            writer.string(pointer.partOfSpeech)
            writer.raw("}")
        }
        writer.raw("],\"gloss\":")
        writer.string(gloss)
        writer.raw("}")
        return Origin.Row(Origin.RowKey("synset", String(offset)), body: writer.bytes)
    }
}
