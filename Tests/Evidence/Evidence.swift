// The program of the evidence tools. Tools/evidence has the commands that people run; each calls this one.

import Glibc

@main
struct Evidence {
    static func main() {
        do {
            let name = CommandLine.arguments.dropFirst().first ?? ""
            let arguments = try Arguments(CommandLine.arguments.dropFirst(2))
            switch name {
            case "work": try work(arguments)
            case "acknowledge": try acknowledge(arguments)
            case "prepare": try FaultAct.prepare(arguments.word(0))
            case "act": exit(try FaultAct.run(arguments.word(0), arguments.word(1)))
            case "faults":
                var command = try FaultCommand(arguments)
                exit(try command.run())
            case "share":
                let seed = UInt64(try arguments.word(1)) ?? 0
                try SharingProcess(arguments.word(0), seed: seed).run()
            case "processes":
                var command = try ProcessCommand(arguments)
                exit(try command.run())
            case "flips": exit(try FlipCommand(arguments).run())
            case "cuts":
                var command = try CutCommand(arguments)
                exit(try command.run())
            default: throw ToolFailure("no command \(name)")
            }
        } catch {
            print("evidence: \(error)")
            exit(2)
        }
    }

    /// `work ROOT --seed S --operations N`: plays random operations on a store in ROOT.
    private static func work(_ arguments: Arguments) throws {
        let player = try Player(root: arguments.word(0), seed: UInt64(arguments.number("seed", 1)))
        try player.play(arguments.number("operations", 60))
        try player.close()
    }

    /// `acknowledge ROOT STORE`: notes that all of the store's content is acknowledged.
    private static func acknowledge(_ arguments: Arguments) throws {
        let (root, name) = (try arguments.word(0), try arguments.word(1))
        let digests = try StoreState.digests(at: root + "/" + name)
        Files.append("ack \(name) all \(digests.whole)\n", to: root + "/acks")
    }
}
