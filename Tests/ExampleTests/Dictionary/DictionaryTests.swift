// Proves that the example app is tested as it is, offline and in virtual time, with LarderTesting alone.

import Larder
import LarderServer
import LarderTesting
import Testing

@testable import dictionary

@Suite(.timeLimit(.minutes(2))) struct `The dictionary` {
    private let clock = VirtualClock()
    private let network = ScriptedConnectivity()
    private let transport: ScriptedTransport

    init() throws {
        let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
        let words = [("dawn", "the first light of day"), ("lamp", "a source of light"), ("river", "a large stream")]
        _ = try origin.createResource(
            .init("words", 1),
            rows: words.enumerated().map { number, word in
                let json = #"{"id":\#(number),"lemma":"\#(word.0)","meaning":"\#(word.1)"}"#
                return Origin.Row(type: "word", key: "\(number)", json)
            })
        _ = try origin.createResource(.init("notes", 1))
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
    }

    /// Runs `body` with a dictionary that was downloaded.
    private func downloaded(_ body: (DictionaryModel) async throws -> Void) async throws {
        let model = try await DictionaryModel(
            in: .temporary(), server: "http://words.test", content: "http://words.test/content",
            services: .scripted(transport, clock: clock, connectivity: network))
        let run = Task { try await model.run() }
        for await _ in model.download() {}
        try await body(model)
        run.cancel()
        _ = await run.result
        try await model.close()
    }

    @Test func `is read without a network`() async throws {
        try await downloaded { model in
            network.set(.offline)
            let river = try model.lookUp("river")
            #expect(river.map(\.meaning) == ["a large stream"])
            #expect(try model.lookUp("' OR 1=1 --").isEmpty)
            #expect(try model.neighbours(of: "e").map(\.lemma) == ["dawn", "lamp", "river"])
            #expect(try model.search("light").map(\.row.lemma).sorted() == ["dawn", "lamp"])
        }
    }

    @Test func `shows a note at once, and sends it when the server is there again`() async throws {
        transport.on(.put, "/notes/*").answer(503).then(200)
        try await downloaded { model in
            network.set(.offline)
            try await model.write("the Nile", about: "river")
            let before = try model.notes()
            #expect(before == [.init(note: Note(id: "river", text: "the Nile"), isPending: true)])
            #expect(try model.unsent() == 1)
            network.set(.online)
            try await clock.wait(for: "the note to be sent") { try model.notes().allSatisfy { !$0.isPending } }
            #expect(transport.lines.filter { $0 == "PUT /notes/river" }.count == 2)
        }
    }

    @Test func `removes a note that the server refuses`() async throws {
        transport.on(.put, "/notes/*").answer(403)
        try await downloaded { model in
            try await model.write("the Nile", about: "river")
            try await clock.wait(for: "the refusal") { try model.notes().isEmpty }
        }
    }
}
