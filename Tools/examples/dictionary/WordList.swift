#if Server
import Foundation

/// The words that the server of the example publishes.
enum WordList {
    /// One resource of words.
    struct Part {
        let id: Int64
        let words: [Word]
    }

    /// The error for a line that the manual page wndb(5) does not describe.
    struct Unreadable: Error, CustomStringConvertible {
        let file: String
        let line: Int

        var description: String { "\(file):\(line): not a line of a WordNet data file" }
    }

    /// A few words, for where WordNet is not installed.
    static let builtIn = [
        ("dawn", "the first light of day"), ("lamp", "an artificial source of visible illumination"),
        ("river", "a large natural stream of water"), ("stream", "a natural body of running water"),
        ("tide", "the periodic rise and fall of the sea level"), ("water", "a clear liquid"),
    ].enumerated().map { Word(id: $0, lemma: $1.0, meaning: $1.1) }

    /// Reads the files that Debian's package `wordnet-base` installs; nouns, verbs, adjectives and adverbs are one part
    /// each.
    ///
    /// - Returns: nil where the directory does not exist.
    /// - Throws: ``Unreadable``; the errors of reading a file.
    static func wordNet(in directory: String) throws -> [Part]? {
        guard FileManager.default.fileExists(atPath: directory + "/data.noun") else { return nil }
        return try ["noun", "verb", "adj", "adv"].enumerated().map { place, name in
            let file = "data.\(name)"
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: directory).appending(path: file)))
            var words: [Word] = []
            for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                // The licence at the top is indented; sets of synonyms are not.
                guard let first = line.first, first != UInt8(ascii: " ") else { continue }
                guard let found = synonyms(in: String(decoding: line, as: UTF8.self)) else {
                    throw Unreadable(file: file, line: number + 1)
                }
                for lemma in found.lemmas {
                    words.append(Word(id: words.count, lemma: lemma, meaning: found.meaning))
                }
            }
            return Part(id: Int64(place + 1), words: words)
        }
    }

    /// Parses `offset lexname pos count (word id)… … | meaning`; nil where the line has another form.
    private static func synonyms(in line: String) -> (lemmas: [String], meaning: String)? {
        guard let bar = line.firstRange(of: " | ") else { return nil }
        let fields = line[..<bar.lowerBound].split(separator: " ")
        guard fields.count > 4, let count = Int(fields[3], radix: 16), fields.count >= 4 + 2 * count else { return nil }
        let lemmas = (0..<count).map { String(fields[4 + 2 * $0]).replacing("_", with: " ") }
        return (lemmas, line[bar.upperBound...].trimmingCharacters(in: .whitespaces))
    }
}
#endif
