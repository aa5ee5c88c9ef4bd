// ModuleSources: finds in a module's source text which folder uses a type that another one declares.

import Foundation

/// The sources of a module, read as text: which folder uses a type that another one declares.
///
/// A use can be missing; one that is found is there. A name that is declared at the top of files in two folders is left out.
struct ModuleSources {
    /// A type or function of one folder, named in a file of another.
    struct Use: Hashable {
        let folder: String
        let file: String
        let name: String
        let of: String
    }

    /// The folders directly in the module; empty for the module's own.
    let folders: Set<String>
    /// Types of one folder that a file of another names.
    var uses: [Use] { found(declared: \.types, named: \.words) }
    private let files: [(folder: String, file: String, source: SwiftSource)]

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
        folders = Set(files.map(\.folder))
        self.files = files
    }

    /// Functions of one folder that a file of another calls, as far as their names show: without those that share their name
    /// with a value of the module or with a function of the modules `below` it.
    func calls(above below: [ModuleSources]) -> [Use] {
        let values = files.reduce(into: Set<String>()) { $0.formUnion($1.source.values) }
        let others = below.flatMap(\.files).reduce(into: Set<String>()) { $0.formUnion($1.source.functions) }
        return found(declared: \.functions, named: \.calls).filter { use in
            !values.contains(use.name) && !others.contains(use.name)
        }
    }

    private func found(
        declared: KeyPath<SwiftSource, Set<String>>, named: KeyPath<SwiftSource, Set<String>>
    ) -> [Use] {
        var declaringFolders: [String: Set<String>] = [:]
        for file in files {
            for name in file.source[keyPath: declared] { declaringFolders[name, default: []].insert(file.folder) }
        }
        return files.flatMap { file in
            file.source[keyPath: named].compactMap { name in
                guard let home = declaringFolders[name], home.count == 1, let of = home.first, of != file.folder else {
                    return nil
                }
                return Use(folder: file.folder, file: file.file, name: name, of: of)
            }
        }
    }
}

/// The words of a Swift source without comments and string literals, and what it declares.
struct SwiftSource {
    private(set) var words: Set<String> = []
    /// The types that it declares at the top.
    private(set) var types: Set<String> = []
    /// The functions that it declares anywhere.
    private(set) var functions: Set<String> = []
    /// The names of properties, variables, cases and parameters, and the labels of arguments.
    private(set) var values: Set<String> = []
    /// Names that are followed by an opening parenthesis and not declared there.
    private(set) var calls: Set<String> = []

    init(_ text: [UInt8]) {
        let code = Self.code(text)
        collectNames(code)
        for line in String(decoding: code, as: UTF8.self).split(separator: "\n") {
            let found = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            words.formUnion(found)
            let declares: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
            guard line.first != " ", line.first != "}", let keyword = found.firstIndex(where: declares.contains),
                keyword + 1 < found.count, !found[..<keyword].contains(where: ["extension", "import"].contains)
            else { continue }
            types.insert(found[keyword + 1])
        }
    }

    private mutating func collectNames(_ code: [UInt8]) {
        var before = ""
        var rest = code[...]
        while let start = rest.firstIndex(where: Self.isOfName) {
            // What stands between two names parts them, unless it is a space.
            if !rest[..<start].allSatisfy({ $0 == UInt8(ascii: " ") }) { before = "" }
            let end = rest[start...].firstIndex { !Self.isOfName($0) } ?? rest.endIndex
            let name = String(decoding: rest[start..<end], as: UTF8.self)
            let next = end < rest.endIndex ? rest[end] : 0
            if before == "func" {
                functions.insert(name)
            } else if ["let", "var", "case"].contains(before) || next == UInt8(ascii: ":") {
                values.insert(name)
            } else if next == UInt8(ascii: "(") {
                calls.insert(name)
            }
            before = name
            rest = rest[end...]
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// `text` with comments and string literals replaced by blanks. Interpolations are part of their literal.
    private static func code(_ text: [UInt8]) -> [UInt8] {
        var code: [UInt8] = []
        code.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.first {
            if let end = skippedLength(rest) {
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
    private static func skippedLength(_ rest: ArraySlice<UInt8>) -> Int? {
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
