import Foundation
import Larder
import LarderURLSession

/// The terminal of the dictionary.
///
/// usage: dictionary SERVER DIRECTORY (download | look WORD | search TEXT | note WORD TEXT | notes | send)
@main
struct DictionaryApp {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 3, let server = BaseURL(arguments[1]), let content = BaseURL(arguments[1] + "/content")
        else { return fail("usage: dictionary SERVER DIRECTORY (download | look | search | note | notes | send)") }
        let model = try await DictionaryModel(
            in: .directory(arguments[2]), server: server, content: content,
            services: .system(URLSessionTransport()))
        try await perform(arguments[3], Array(arguments.dropFirst(3)), model)
        try await model.close()
    }

    private static func perform(_ verb: String, _ words: [String], _ model: DictionaryModel) async throws {
        switch (verb, words.count) {
        case ("download", 0):
            try await model.cache.running { for await progress in model.download() { print(progress) } }
        case ("look", 1):
            let found = try model.lookUp(words[0])
            for word in found { print("\(word.lemma): \(word.meaning)") }
            if found.isEmpty { print("near:", try model.neighbours(of: words[0]).map(\.lemma).joined(separator: ", ")) }
        case ("search", 1...):
            for hit in try model.search(words.joined(separator: " ")) { print("\(hit.row.lemma): \(hit.snippet)") }
        case ("note", 2...):
            try await model.write(words.dropFirst().joined(separator: " "), about: words[0])
            print("stored; \(try model.unsent()) not sent yet")
        case ("notes", 0):
            for shown in try model.notes() {
                print(shown.isPending ? "↑" : "✓", "\(shown.note.id): \(shown.note.text)")
            }
        case ("send", 0):
            let status = await model.cache.outbox?.drain(within: .seconds(30))
            print(status?.description ?? "")
        default: fail("\(verb) is no verb, or lacks words")
        }
    }

    private static func fail(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(64)
    }
}
