// Proves that the doc comment of every public function that throws says what it throws.

import Foundation
import Testing

@Suite struct `Public functions that throw` {
    @Test func `say what they throw`() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: ModuleSources.root.path)
        var count = 0
        var silent: [String] = []
        for path in paths.sorted() where path.hasSuffix(".swift") {
            let text = try String(contentsOf: ModuleSources.root.appending(path: path), encoding: .utf8)
            for function in Self.throwing(in: text) {
                count += 1
                if !function.documentation.contains("hrow") { silent.append("\(path): \(function.signature)") }
            }
        }
        print("\(count - silent.count) of \(count) public functions that throw say what they throw")
        #expect(count > 200)
        #expect(silent.isEmpty, "\(silent.joined(separator: "\n"))")
    }

    @Test func `are those whose own signature throws`() {
        let text = """
            /// Reads.
            /// - Throws: an error.
            public func read(
                _ body: () throws -> Void
            ) async throws(StoreError) -> Int {
            /// Maps.
            public func map(_ body: () throws -> Void) -> Int {
            public init() throws {}
            """
        let found = Self.throwing(in: text)
        #expect(found.map(\.documentation) == ["/// Reads./// - Throws: an error.", ""])
    }

    private static func throwing(in text: String) -> [(signature: String, documentation: String)] {
        var found: [(signature: String, documentation: String)] = []
        var documentation = ""
        var signature: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///") {
                documentation += line
                continue
            }
            if signature == nil, line.hasPrefix("public "), line.contains(/\b(func|init|subscript)\b/) {
                signature = ""
            }
            guard let begun = signature else {
                if !line.hasPrefix("@") { documentation = "" }
                continue
            }
            signature = begun + line + " "
            guard line.contains("{") || line.isEmpty else { continue }
            if isThrowing(begun + line) { found.append((begun + line, documentation)) }
            (signature, documentation) = (nil, "")
        }
        return found
    }

    /// Whether `throws` is in the signature outside its parentheses, which hold the closures.
    private static func isThrowing(_ signature: String) -> Bool {
        var rest = signature.prefix { $0 != "{" }
        while true {
            let shorter = rest.replacing(/\([^()]*\)/, with: "")
            if shorter == rest { return rest.contains(/\bthrows\b/) }
            rest = shorter
        }
    }
}
