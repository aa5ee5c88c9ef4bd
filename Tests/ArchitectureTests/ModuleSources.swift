import Foundation

/// The sources of a module, read as text: which folder uses a type that another one declares.
///
/// Uses of members and functions are not seen, so a use can be missing; one that is found is there. A name that is declared at
/// the top of files in two folders is left out.
struct ModuleSources {
    /// A type of one folder, named in a file of another.
    struct Use: Hashable {
        let folder: String
        let file: String
        let type: String
        let of: String
    }

    /// The folders directly in the module; empty for the module's own.
    let folders: Set<String>
    let uses: [Use]

    /// Where the modules are.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    init(_ module: String) throws {
        let root = Self.root.appending(path: module)
        var files: [(folder: String, file: String, source: SwiftSource)] = []
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
        for path in paths where path.hasSuffix(".swift") {
            let parts = path.split(separator: "/")
            let text = try Data(contentsOf: root.appending(path: path))
            files.append((parts.count > 1 ? String(parts[0]) : "", path, SwiftSource([UInt8](text))))
        }
        var homes: [String: Set<String>] = [:]
        for file in files {
            for type in file.source.types { homes[type, default: []].insert(file.folder) }
        }
        folders = Set(files.map(\.folder))
        uses = files.flatMap { file in
            file.source.words.compactMap { word in
                guard let home = homes[word], home.count == 1, let of = home.first, of != file.folder else {
                    return nil
                }
                return Use(folder: file.folder, file: file.file, type: word, of: of)
            }
        }
    }
}

/// The words of a Swift source without comments and string literals, and the types that it declares at the top.
struct SwiftSource {
    private(set) var words: Set<String> = []
    private(set) var types: Set<String> = []

    init(_ text: [UInt8]) {
        for line in String(decoding: Self.code(text), as: UTF8.self).split(separator: "\n") {
            let found = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            words.formUnion(found)
            let declares: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
            guard line.first != " ", line.first != "}", let keyword = found.firstIndex(where: declares.contains),
                keyword + 1 < found.count, !found[..<keyword].contains("extension")
            else { continue }
            types.insert(found[keyword + 1])
        }
    }

    /// `text` with comments and string literals replaced by blanks. Interpolations are part of their literal.
    private static func code(_ text: [UInt8]) -> [UInt8] {
        var code: [UInt8] = []
        code.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.first {
            if let end = noise(rest) {
                // The ends of lines stay, because a declaration is known by where its line begins.
                code.append(contentsOf: rest[..<end].map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") })
                rest = rest[end...]
            } else {
                code.append(byte)
                rest = rest.dropFirst()
            }
        }
        return code
    }

    /// Where the comment or string literal that `rest` begins with ends; nil when it begins with neither.
    private static func noise(_ rest: ArraySlice<UInt8>) -> Int? {
        if rest.starts(with: "//".utf8) {
            return end(of: rest, after: 2, "\n", escaped: false).map { $0 - 1 } ?? rest.endIndex
        }
        if rest.starts(with: "/*".utf8) { return end(of: rest, after: 2, "*/", escaped: false) ?? rest.endIndex }
        let quotes = "\"\"\""
        if rest.starts(with: quotes.utf8) { return end(of: rest, after: 3, quotes, escaped: true) ?? rest.endIndex }
        if rest.first == UInt8(ascii: "\"") { return end(of: rest, after: 1, "\"", escaped: true) ?? rest.endIndex }
        return nil
    }

    private static func end(of rest: ArraySlice<UInt8>, after start: Int, _ mark: String, escaped: Bool) -> Int? {
        var place = rest.startIndex + start
        while place < rest.endIndex {
            if escaped, rest[place] == UInt8(ascii: "\\") {
                place += 2
            } else if rest[place...].starts(with: mark.utf8) {
                return place + mark.utf8.count
            } else {
                place += 1
            }
        }
        return nil
    }
}
