// The arguments of a command of the program.

/// The words and options (`--name value`) of a command.
struct Arguments {
    private(set) var words: [String] = []
    private var options: [String: String] = [:]

    init(_ arguments: some Sequence<String>) throws {
        var name: String?
        for argument in arguments {
            if let option = name {
                options[option] = argument
                name = nil
            } else if argument.hasPrefix("--") {
                name = String(argument.dropFirst(2))
            } else {
                words.append(argument)
            }
        }
        if let name { throw ToolFailure("--\(name) needs a value") }
    }

    /// A word, by its place.
    func word(_ place: Int) throws -> String {
        guard place < words.count else { throw ToolFailure("an argument is missing") }
        return words[place]
    }

    func text(_ name: String) -> String? { options[name] }

    func number(_ name: String, _ standard: Int = 0) throws -> Int {
        guard let text = options[name] else { return standard }
        guard let number = Int(text) else { throw ToolFailure("--\(name) needs a number") }
        return number
    }
}
