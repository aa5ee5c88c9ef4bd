// Proves that the folders of each module use each other in one direction, so that a reader can learn them bottom up.

import Foundation
import Testing

@Suite struct `The folders of a module` {
    /// The folders of each module, those that others build on first. A folder uses only folders before it.
    private static let layers: [String: [String]] = [
        "Larder": ["Conditions", "Defaults", "Objects", "Cache", ""],
        "LarderAsyncHTTPClient": [""],
        "LarderCompression": [""],
        "LarderEncryption": [""],
        "LarderEngine": [
            "Errors", "Table", "Support", "Files", "Guard", "Cipher", "Cursor", "Transaction", "Environment",
        ],
        "LarderFormat": ["", "Coding", "Identity", "Tuples", "Layout", "Values", "Keys", "Records"],
        "LarderHTTP": ["Fields", "Policy", "Cache", "Fetch", "Objects", "Queries"],
        "LarderJSON": [""],
        "LarderObservation": [""],
        "LarderOutbox": [
            "Locations", "Status", "Outcomes", "Writes", "Machine", "Conflicts", "Delivery", "Buffers", "Session",
        ],
        "LarderPostgres": ["Errors", "Connection", "Transaction", "Schema", "Idempotency", "Content"],
        "LarderQuery": [
            "SQLite", "Definition", "Predicates", "Results", "Planning", "Tables", "Search", "Queries",
        ],
        "LarderServer": ["Content", "Protocol", "Lists", "Idempotency", "", "Events", "HTTP"],
        "LarderStore": ["Kernel", "Rows", "Cached", "SyncState", "Pending", "Space", "Inspect", ""],
        "LarderSync": [
            "Wire", "Vocabulary", "Apply", "Run", "Schedule", "Paging", "Coordinator", "KeepOffline",
        ],
        "LarderTesting": ["", "Conditions", "ScriptedTransport", "Secrets", "ContentServer", "Services"],
        "LarderTransport": ["", "Dates", "Outcomes", "Conditions", "Exchange", "Waiting"],
        "LarderURLSession": [""],
    ]

    @Test func `are in layers in every module`() throws {
        let modules = try FileManager.default.contentsOfDirectory(atPath: ModuleSources.root.path)
        #expect(Set(modules.filter { $0.hasPrefix("Larder") }) == Set(Self.layers.keys))
    }

    @Test(arguments: layers.keys.sorted())
    func `use only those below`(_ module: String) throws {
        let order = try #require(Self.layers[module])
        let sources = try ModuleSources(module)
        #expect(sources.folders == Set(order), "the folders on disk are not those of this test")
        try check(sources.uses, of: module, order)
    }

    @Test func `of the store call only functions of those below`() throws {
        let sources = try ModuleSources("LarderStore")
        let below = try ["LarderEngine", "LarderFormat", "LarderJSON"].map { module in try ModuleSources(module) }
        let calls = sources.calls(above: below)
        #expect(calls.contains { $0.folder == "Rows" && $0.of == "Kernel" && $0.name == "forEachRaw" })
        // An atomic's load is the standard library's.
        try check(
            calls.filter { $0.name != "load" }, of: "LarderStore", try #require(Self.layers["LarderStore"]))
    }

    private func check(_ uses: [ModuleSources.Use], of module: String, _ order: [String]) throws {
        for use in uses {
            let user = try #require(order.firstIndex(of: use.folder))
            let used = try #require(order.firstIndex(of: use.of))
            #expect(used < user, "\(module)/\(use.file) uses \(use.name) of \(use.of), which lies above it")
        }
    }

    @Test func `of the store are those that docs/ARCHITECTURE.md draws`() throws {
        let files = FileManager.default
        let page = try String(
            contentsOf: ModuleSources.root.appending(path: "../docs/ARCHITECTURE.md"), encoding: .utf8)
        let tree = try #require(page.components(separatedBy: "```\nLarderStore/\n").dropFirst().first)
        let drawn = tree.prefix(while: { $0 != "`" }).matches(of: /\n? {2}(\w+)\/(?:\{([^}]*)\})?/).map { line in
            "\(line.1): \(line.2 ?? "")"
        }
        let order = try #require(Self.layers["LarderStore"]).filter { !$0.isEmpty }
        let actual = try order.map { layer in
            let folder = ModuleSources.root.appending(path: "LarderStore/" + layer)
            let inner = try files.contentsOfDirectory(atPath: folder.path).filter { !$0.contains(".") }
            return "\(layer): \(inner.sorted().joined(separator: ", "))"
        }
        #expect(drawn == actual)
    }

    @Test func `are found with their uses`() throws {
        let uses = try ModuleSources("LarderEngine").uses
        #expect(uses.contains { $0.folder == "Environment" && $0.of == "Files" && $0.name == "GuardFile" })
    }
}
