// Proves that Tools/install installs the tool with a manual page of every verb and completions that work.
import Foundation
import Testing

@testable import cachetool

@Suite struct `An installed cachetool` {
    private static let script = URL(fileURLWithPath: #filePath).appending(path: "../../../../Tools/install")
        .standardizedFileURL.path

    @Test func `has a manual page and completions of three shells`() throws {
        let scratch = TemporaryDirectory()
        let outcome = try Tool.run("/usr/bin/env", ["CACHETOOL=\(Tool.path)", Self.script, scratch.path])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(try Tool.run(scratch.path + "/bin/cachetool", ["stat", "--help"]).status == 0)
        let page = try String(contentsOfFile: scratch.path + "/share/man/man1/cachetool.1", encoding: .utf8)
        for verb in Help.verbs where !["", "serve-client", "manual"].contains(verb) {
            #expect(page.contains("\"cachetool \(verb)\""), "\(verb)")
        }
        let completions = scratch.path + "/share/bash-completion/completions/cachetool"
        let completed = try Tool.run(
            "/bin/bash",
            [
                "-c",
                """
                source '\(completions)'; COMP_WORDS=(cachetool doc); COMP_CWORD=1; COMP_LINE='cachetool doc'; COMP_POINT=13
                COMP_TYPE=9; _cachetool cachetool doc cachetool; echo "${COMPREPLY[@]}"
                """,
            ])
        #expect(completed.text.contains("doctor"), "\(completed.errorOutput)")
        for shell in ["zsh/site-functions/_cachetool", "fish/vendor_completions.d/cachetool.fish"] {
            #expect(try String(contentsOfFile: scratch.path + "/share/" + shell, encoding: .utf8).contains("doctor"))
        }
    }

    @Test func `has a manual page without a request of roff in a text`() {
        let macros = [".TH", ".SH", ".SS", ".nf", ".fi", ".B", ".I"]
        for line in Manual.text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains { line == $0 || line.hasPrefix("\($0) ") }, "\(line)")
        }
    }
}
