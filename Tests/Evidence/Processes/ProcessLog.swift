// ProcessLog: what the processes of one store have noted.

/// What the processes of one store have noted.
struct ProcessLog {
    private(set) var enqueueing: Set<String> = []
    private(set) var enqueued: Set<String> = []
    private(set) var completing: Set<String> = []
    private(set) var errors: [String: Int] = [:]
    private(set) var wrong: [String] = []
    private(set) var operations = 0

    /// Errors that other processes cause, and that a program has to expect.
    private static let expected = ["superseded", "held", "hold", "Another program", "another process syncs"]

    init(_ root: String) throws {
        for name in Files.names(root) where name.hasPrefix("log-") {
            for line in try Files.text(root + "/" + name).split(separator: "\n") { read(line) }
        }
        for (error, count) in errors.sorted(by: { $0.value > $1.value }) { print("error \(count)x \(error)") }
    }

    private mutating func read(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return }
        let text = String(words[1])
        switch words[0] {
        case "enqueueing": enqueueing.insert(text)
        case "enqueued": enqueued.insert(text)
        case "completing": completing.insert(text)
        case "did": operations += 1
        case "wrong": wrong.append(text)
        case "error":
            errors[String(text.prefix(160)), default: 0] += 1
            if !Self.expected.contains(where: { text.contains($0) }) { wrong.append(text) }
        default: break
        }
    }
}
