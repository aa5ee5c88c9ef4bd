// Proves that the compiler refuses misuse of transactions, views and spans, and accepts the nearest correct code.

import Testing

/// A mistake that the compiler must refuse, with the nearest thing that is none.
struct Misuse: Sendable, CustomTestStringConvertible {
    let name: String
    /// What every snippet of the table begins with.
    let preamble: String
    /// The body that must not compile.
    let wrong: String
    /// What the compiler must say about it.
    let diagnostic: String
    /// The body that must compile, so that a broken command line cannot make the test pass.
    let right: String

    var testDescription: String { name }
}

@Suite struct `The compiler` {
    @Test(arguments: Misuse.all, Compiler.Client.allCases)
    func `refuses values that would outlive their transaction, and nothing else`(
        misuse: Misuse, client: Compiler.Client
    ) throws {
        let refusal = try Compiler.diagnostics(misuse.preamble + misuse.wrong, as: client)
        #expect(refusal.contains("error: " + misuse.diagnostic), "\(refusal)")
        #expect(try Compiler.diagnostics(misuse.preamble + misuse.right, as: client) == "")
    }
}
