internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

extension Simulator {
    /// Sends the coordinator an event; it takes some time, and arrives after those sent before.
    func mail(_ event: CoordinatorEvent, _ label: String) {
        lastMail = max(lastMail, now + (delays.below(3) == 0 ? delay() : 0))
        agenda.add(at: lastMail, .mail, label, .other { [unowned self] in try tell(event) })
    }

    /// Gives the coordinator an event, and does what it asks for.
    func tell(_ event: CoordinatorEvent) throws {
        guard coordinator != nil else { return }
        watch.take(event, hasProbe: scenario.hasProbe)
        guard let effects = coordinator?.step(event, at: moment) else { return }
        for effect in effects { try perform(effect) }
    }

    private func perform(_ effect: CoordinatorEffect) throws {
        switch effect {
        case .start(let text): try start(text)
        case .cancel(let text):
            note("cancel \(text)")
            watch.isCancelled(text)
            if let run = run(of: text) { cancel(run) }
        case .arm(let time): arm(time)
        case .disarm: agenda.remove { $0 == .timer }
        case .probe(let number):
            watch.isProbed(number)
            agenda.add(
                at: now + Int64(delays.below(2_000)), .probe, "probe",
                .other { [unowned self] in
                    try tell(.probed(number, isReachable: link.isConnected && !hasPortal))
                })
        case .refuse(let text, let error):
            note("refuse \(text): \(error)")
            watch.refusals += 1
        case .note(let text, let attempt): keep(attempt, text)
        case .report(let event): note(Self.label(of: event))
        case .stopped: try stopped()
        }
    }

    private func arm(_ time: Duration) {
        agenda.remove { $0 == .timer }
        // No earlier than asked for, to the next millisecond.
        let (seconds, attoseconds) = time.components
        let due = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        agenda.add(
            at: max(now, due), .timer, "timer", .other { [unowned self] in try tell(.timer) })
    }

    private func start(_ text: String) throws {
        guard let entry = wanted.first(where: { $0.filter.description == text }) else {
            throw Violation(.singleFlight, "a filter that nobody wants is started: \(text)")
        }
        if run(of: text) != nil || watch.isEnding(text) {
            throw Violation(.singleFlight, "a second run of \(text)")
        }
        let count = runs.count + watch.ending.count
        if count >= scenario.policy.concurrentRuns { throw Violation(.singleFlight, "\(count + 1) runs at once") }
        if !canRun || isStopping { throw Violation(.conditions, "\(text) starts without leave") }
        watch.isStarted(text)
        let run = SimulatedRun(
            nextNumber, entry.filter, perPage: perPage, concurrentFullCopies: scenario.concurrentFullCopies,
            isQuiet: isLastQuiet, isByHand: coordinator?.isByHand(text) ?? false)
        nextNumber += 1
        runs[run.number] = run
        note("run \(run.number) of \(text) starts")
        try perform(run.machine.start(), run)
    }

    /// Keeps with a filter how its runs go; not with one that is gone.
    private func keep(_ attempt: AttemptNote, _ text: String) {
        agenda.add(
            at: now + delay(), .note, "note \(text): \(attempt.failures) failures",
            .other { [unowned self] in
                guard let store else { return }
                try working {
                    try store.writeBlocking(durability: .relaxed) { transaction in
                        try transaction.note(attempt, ofFilter: text)
                    }
                }
                try look(.noted)
            })
    }

    private func stopped() throws {
        guard isStopping else { throw Violation(.stopping, "a stop that nobody asked for") }
        if !runs.isEmpty { throw Violation(.stopping, "stopped with \(runs.count) runs under way") }
        agenda.add(
            at: now, .removal, "shut down",
            .other { [unowned self] in try die(relaunchAfter: Int64(delays.below(3_000))) })
    }

    static func label(of event: SyncEvent) -> String {
        switch event {
        case .began(let filter, let kind): "began \(filter) \(kind.rawValue)"
        case .tokenRejected(let filter): "token rejected \(filter)"
        case .page(let number, let mutations): "page \(number): \(mutations) changes"
        case .fullCopy(let resource, let rows, _, _): "full copy \(resource): \(rows) rows"
        case .swapped(let resource, let rows, _, _): "swapped \(resource): \(rows) rows"
        case .lagging(let resource): "lagging \(resource)"
        case .resourceFailed(let failure): "failed \(failure.resource), \(failure.attempts): \(failure.reason)"
        case .hidden(let resource): "hidden \(resource)"
        case .swept(let resource): "swept \(resource)"
        case .finished(let report): "finished \(report.filter) until \(report.untilSequence)"
        case .failed(let filter, let reason, let retryIn): "failed \(filter): \(reason) again in \(retryIn)"
        case .slowed(let filter, let rejections, _): "slowed \(filter) after \(rejections)"
        case .overdue(let filter): "overdue \(filter)"
        case .intercepted: "intercepted"
        default: "event"
        }
    }
}
