import ArgumentParser

/// Prints the manual page.
struct ManualVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page, as roff.",
        discussion: """
            Made from the help of every verb. Tools/install puts it where man finds it.

            EXAMPLE: cachetool manual > cachetool.1

            \(ExitStatus.help)
            """,
        shouldDisplay: false)

    func run() throws { try Terminal.write(Array(Manual.text.utf8)) }
}

/// The manual page, made from the help of every verb.
enum Manual {
    /// The page in roff, with the macros of man(7).
    static var text: String {
        let root = Cachetool.configuration
        var page = """
            .TH CACHETOOL 1 "" "Larder" "User Commands"
            .SH NAME
            cachetool \\- \(escaped(root.abstract))
            .SH SYNOPSIS
            .B cachetool
            .I verb
            [\\fIarguments\\fR]
            .SH DESCRIPTION
            \(preformatted(root.discussion))

            """
        for verb in root.subcommands where verb.configuration.shouldDisplay {
            page += section(verb, path: ["cachetool"], heading: ".SH")
        }
        return page
    }

    private static func section(_ verb: any ParsableCommand.Type, path: [String], heading: String) -> String {
        let configuration = verb.configuration
        let path = path + [verb._commandName]
        let help = Cachetool.helpMessage(for: verb, columns: 76)
        let own = "\(heading) \"\(escaped(path.joined(separator: " ")))\"\n\(preformatted(help))\n"
        return own + configuration.subcommands.map { section($0, path: path, heading: ".SS") }.joined()
    }

    /// Returns a text whose lines stay as they are.
    private static func preformatted(_ text: String) -> String {
        ".nf\n\(text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(separator: "\n"))\n.fi"
    }

    /// Returns a line in which nothing is a request or an escape of roff.
    private static func escaped(_ line: String) -> String {
        let text = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }
}
