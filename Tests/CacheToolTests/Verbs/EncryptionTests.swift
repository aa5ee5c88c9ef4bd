// Proves that the tool reads, copies and saves an encrypted store with its key, and names what is missing without it.

#if Encryption
import Foundation
import Testing

@Suite struct `A key file` {
    private let keys = TemporaryDirectory()

    /// Writes a key of 64 digits.
    private func keyFile(_ name: String, _ digit: Character) throws -> String {
        let path = keys.path + "/" + name
        try Data((String(repeating: digit, count: 64) + "\n").utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `makes an encrypted copy, which is read with it alone`() async throws {
        let sample = try await SampleStore()
        let (key, other) = (try keyFile("key", "a"), try keyFile("other", "b"))
        let copy = sample.sibling("encrypted")
        let made = try Tool.run("compact", sample.path, "--output", copy, "--encrypt-with", key)
        #expect(made.status == 0, "\(made.errorOutput)")
        let data = try Data(contentsOf: URL(fileURLWithPath: copy + "/data.mdb"))
        #expect(data.range(of: Data("verse\":".utf8)) == nil)

        #expect(try Tool.run("verify", copy, "--key-file", key).status == 0)
        #expect(try Tool.run("diff", sample.path, copy, "--key-file", key).status == 0)
        let row = ["get", copy, "translations/19", "translation", "7"]
        let plain = try Tool.run("get", sample.path, "translations/19", "translation", "7")
        #expect(plain.status == 0)
        #expect(try Tool.run(Tool.path, row + ["--key-file", key]).text == plain.text)

        let missing = try Tool.run(Tool.path, row)
        #expect(missing.status == 4 && missing.errorOutput.contains("--key-file"), "\(missing.errorOutput)")
        let wrong = try Tool.run(Tool.path, row + ["--key-file", other])
        #expect(wrong.status == 4 && wrong.errorOutput.contains("another key"), "\(wrong.errorOutput)")
        let none = try Tool.run(Tool.path, row + ["--key-file", keys.path + "/none"])
        #expect(none.status == 4 && none.errorOutput.contains("cannot be read"), "\(none.errorOutput)")
    }

    @Test func `is needed to compact and to save, and not to check pages`() async throws {
        let sample = try await SampleStore()
        let key = try keyFile("key", "a")
        let copy = sample.sibling("encrypted")
        #expect(try Tool.run("compact", sample.path, "--output", copy, "--encrypt-with", key).status == 0)
        #expect(try Tool.run("verify", copy, "--pages").status == 0)
        #expect(try Tool.run("verify", copy, "--quick").status == 0)
        #expect(try Tool.run("compact", copy).status == 4)
        #expect(try Tool.run("compact", copy, "--key-file", key).status == 0)
        let saved = sample.sibling("saved")
        #expect(try Tool.run("salvage", copy, "--to", saved).status == 4)
        #expect(try Tool.run("salvage", copy, "--to", saved, "--key-file", key).status == 0)
        #expect(try Tool.run("verify", saved, "--key-file", key).status == 0)
    }

    @Test func `makes a plain copy again, as do loads of its dumps`() async throws {
        let sample = try await SampleStore()
        let key = try keyFile("key", "a")
        let (copy, again) = (sample.sibling("encrypted"), sample.sibling("plain"))
        #expect(try Tool.run("compact", sample.path, "--output", copy, "--encrypt-with", key).status == 0)
        #expect(try Tool.run("compact", copy, "--output", again, "--decrypt", "--key-file", key).status == 0)
        #expect(try Tool.run("diff", sample.path, again).status == 0)
        let dump = try Tool.run("dump", copy, "--key-file", key)
        #expect(dump.status == 0)
        let path = sample.sibling("loaded")
        #expect(try Tool.run(Tool.path, ["load", "-", path], input: dump.output).status == 0)
        #expect(try Tool.run("diff", sample.path, path).status == 0)
        let raw = try Tool.run("dump", copy, "--lmdb", "--key-file", key)
        #expect(raw.status == 0)
        let other = sample.sibling("other")
        #expect(try Tool.run(Tool.path, ["load", "--lmdb", "-", other], input: raw.output).status == 0)
        #expect(try Tool.run("diff", sample.path, other).status == 0)
    }
}
#endif
