internal import LarderFormat
internal import LarderStore
internal import LarderSync

/// A run under way.
final class SimulatedRun {
    let number: Int
    let filter: ResourceFilter
    let perPage: Int
    var machine: RunMachine
    /// Its full copies under way.
    var copies: Set<Int> = []
    var isCancelled = false
    /// Whether it was begun while nothing goes wrong any more.
    let isQuiet: Bool
    /// Whether somebody asked for it by hand.
    let isByHand: Bool
    /// How often credentials were supplied to it.
    var credentials = 1
    /// How often it has asked again for a page of a server that counts fewer changes than were applied.
    var looks = 0
    /// The server's era when the page that is being applied was asked for.
    var pageEra = 0
    /// Where its last page leads, and the token at the end of its pages.
    var nextPage: String?
    var lastToken: String?

    init(
        _ number: Int, _ filter: ResourceFilter, perPage: Int, concurrentFullCopies: Int, isQuiet: Bool, isByHand: Bool
    ) {
        self.number = number
        self.filter = filter
        self.perPage = perPage
        self.isQuiet = isQuiet
        self.isByHand = isByHand
        machine = RunMachine(filter: filter, perPage: perPage, concurrentFullCopies: concurrentFullCopies)
    }

    var text: String { filter.description }
    var owner: Agenda.Owner { .run(number) }
}

/// A full copy under way.
final class SimulatedCopy {
    /// What it waits for that another copy has.
    enum Wait: Hashable {
        case claim(ResourceKey)
        case slot
    }

    let number: Int
    let run: SimulatedRun
    let resource: ResourceKey
    var machine: CopyMachine
    var isCancelled = false
    /// How often it is asked for with this time, of how often it may be.
    var attempt = 1
    let attempts: Int
    var wait: Wait?
    /// The exchange whose body is being read, when it was sent, on which link, and how many chunks were taken.
    var exchange: SimulatedExchange?
    var sentAt: Int64 = 0
    var link = 0
    var chunksTaken = 0
    /// The server's era when the copy was asked for.
    var era = 0

    init(_ number: Int, _ run: SimulatedRun, _ order: FullCopyOrder, attempts: Int) {
        self.number = number
        self.run = run
        resource = order.resource
        self.attempts = attempts
        machine = CopyMachine(order, attempts: attempts, mapping: .contentSync)
    }

    var owner: Agenda.Owner { .copy(number) }
}
