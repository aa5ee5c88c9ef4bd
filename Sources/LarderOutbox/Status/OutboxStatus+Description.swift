extension OutboxStatus: CustomStringConvertible {
    /// The numbers and the reasons in one line for the user: `2 not sent yet, 1 refused. Nothing is sent: there is no
    /// network.`
    public var description: String {
        var counts: [String] = []
        if unsent > 0 { counts.append("\(unsent) not sent yet") }
        if sending > 0 { counts.append("\(sending) being sent") }
        if failed > 0 { counts.append("\(failed) failed") }
        if unresolved + conflicted > 0 { counts.append("\(unresolved + conflicted) to be decided") }
        if rejected > 0 { counts.append("\(rejected) refused") }
        if counts.isEmpty { return "Everything is sent." }
        let error = lastError.map { ["The last try failed: \($0)."] } ?? []
        return ([counts.joined(separator: ", ") + "."] + error + pauses.map(\.description)).joined(separator: " ")
    }
}
