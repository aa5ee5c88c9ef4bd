// Compiler: compiles a snippet against the modules of the build under test.

import Foundation

/// The compiler, asked about a snippet against the modules of the build under test.
enum Compiler {
    /// The language features a client has, beyond those of its language mode.
    enum Client: String, CaseIterable, Sendable {
        /// Swift 6 and nothing else.
        case plain
        /// With the experimental feature that the engine itself is built with.
        case lifetimes

        var flags: [String] { self == .lifetimes ? ["-enable-experimental-feature", "Lifetimes"] : [] }
    }

    /// What the compiler says about a file; empty when it compiles.
    ///
    /// Ownership and lifetimes are checked on the intermediate language, so type-checking alone would not do.
    static func diagnostics(_ source: String, as client: Client) throws -> String {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "larder-compile-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let snippet = folder.appending(path: "snippet.swift")
        try Data(source.utf8).write(to: snippet)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
                "-diagnostic-style", "llvm", "-module-cache-path", moduleCache.path,
                "-I", products.appending(path: "Modules").path,
            ] + systemModules + client.flags + [snippet.path]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : text + "exit status \(process.terminationStatus)"
    }

    /// Beside the products, so that it is made once and goes with them.
    private static let moduleCache = products.appending(path: "compile-tests-modules")

    private static let products: URL = {
        #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            return bundle.bundleURL.deletingLastPathComponent()
        }
        #endif
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }()

    /// The C modules that the package's modules import; each needs its map.
    private static let systemModules: [String] = {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        return ["CLMDB", "CLarderSystem", "CXXHash"].flatMap { name in
            ["-Xcc", "-fmodule-map-file=" + sources.appending(path: name + "/module.modulemap").path]
        }
    }()
}
