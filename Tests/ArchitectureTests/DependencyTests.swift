// Proves that each target declares the modules of this package that it imports, so that a build from nothing finds them built.

import Foundation
import Testing

@Suite struct `The targets of the package` {
    /// What `swift package dump-package` prints, as far as it is used here.
    private struct Package: Decodable {
        struct Target: Decodable {
            let name: String
            let path: String?
            let type: String
            let dependencies: [Dependency]

            var folder: String { path ?? (type == "test" ? "Tests/" : "Sources/") + name }
        }

        struct Dependency: Decodable {
            /// The name first, then its condition.
            let byName: [Condition?]?

            struct Condition: Decodable {
                let name: String?

                init(from decoder: any Decoder) throws {
                    name = try? decoder.singleValueContainer().decode(String.self)
                }
            }
        }

        let targets: [Target]
    }

    private static let root = ModuleSources.root.deletingLastPathComponent()

    private static func package() throws -> Package {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", root.path, "--scratch-path", scratch.path, "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(Package.self, from: json)
    }

    /// The modules that the Swift files in `folder` import.
    private static func imports(of folder: String) throws -> Set<String> {
        let root = root.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        return try paths.reduce(into: []) { modules, path in
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            for line in text.matches(of: /(?m)^(?:[@\w()]+ )*import (?:(?:struct|class|enum|func) )?(\w+)/) {
                modules.insert(String(line.1))
            }
        }
    }

    @Test func `declare what they import`() throws {
        let package = try Self.package()
        let names = Set(package.targets.map(\.name))
        #expect(try Self.imports(of: "Sources/LarderStore").isSuperset(of: ["LarderEngine", "LarderFormat"]))
        for target in package.targets where target.type != "plugin" {
            let declared = target.dependencies.compactMap { $0.byName?.first??.name }
            let missing = try Self.imports(of: target.folder).intersection(names).subtracting(declared)
            #expect(missing.isEmpty, "\(target.name) imports \(missing.sorted().joined(separator: ", "))")
        }
    }
}
