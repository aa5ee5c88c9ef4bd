// Proves that importing Larder shows a small number of types, and that every public type can be named alone.

import Foundation
import Testing

@Suite struct `The surface` {
    private static let root = ModuleSources.root.deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The public types that a module declares, nested ones included.
    private static func types(in folder: String, topLevelOnly: Bool) throws -> [String] {
        let folder = root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            .sorted()
            .flatMap { path in
                try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
                    .compactMap { line -> String? in
                        if topLevelOnly, line.hasPrefix(" ") { return nil }
                        let match = line.firstMatch(
                            of: /^ *public (?:final )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/)
                        return match.map { String($0.1) }
                    }
            }
    }

    @Test func `of Larder is named type by type, and has at most 120`() throws {
        let lines = try Self.text("Sources/Larder/Larder.swift").split(separator: "\n")
            .filter { $0.hasPrefix("@_exported") }
        let exported = lines.compactMap { $0.firstMatch(of: /^@_exported public import \w+ (\w+)\.(\w+)$/) }
        #expect(exported.count == lines.count, "a module is exported as a whole")
        var nested = 0
        for match in exported where match.1.hasPrefix("Larder") {
            let all = try Self.declarations(of: String(match.2), in: "Sources/\(match.1)")
            #expect(all > 0, "\(match.2) is not declared in \(match.1)")
            nested += max(0, all - 1)
        }
        let own = try Self.types(in: "Sources/Larder", topLevelOnly: false).count
        #expect(
            own + exported.count + nested <= 120, "\(own) of its own, \(exported.count) exported, \(nested) in those")
    }

    /// The number of public types in the declaration of a type, itself included.
    private static func declarations(of name: String, in folder: String) throws -> Int {
        let folder = root.appending(path: folder)
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let pattern = try Regex("^public (final )?(struct|class|enum|protocol|actor) \(name)\\b")
            guard let start = lines.firstIndex(where: { $0.firstMatch(of: pattern) != nil }) else { continue }
            let body = lines[start...].prefix { $0 != "}" }
            return body.count {
                $0.firstMatch(of: /^ *public (?:struct|class|enum|protocol) \w+/) != nil || $0 == body.first
            }
        }
        return 0
    }

    @Test func `has no type whose name needs its module`() throws {
        let probes = try ["LowerNames", "UpperNames"].map { try Self.text("Tests/LarderTests/Names/\($0).swift") }
            .joined()
        let modules = try FileManager.default.contentsOfDirectory(atPath: ModuleSources.root.path)
        for module in modules.sorted() where module.hasPrefix("Larder") {
            for name in try Self.types(in: "Sources/\(module)", topLevelOnly: true)
            where !["PathConnectivity", "DevicePower"].contains(name) {
                #expect(probes.contains("typealias \(module)\(name) = \(name)\n"), "\(name) of \(module) is not probed")
            }
        }
    }
}
