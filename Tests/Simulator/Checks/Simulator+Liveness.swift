internal import LarderFormat
internal import LarderSync

extension Simulator {
    /// Looks, after every step, whether everything that is to happen will.
    func checkStep() throws {
        try checkWriters()
        guard let coordinator else { return }
        guard coordinator.isLive(at: moment) else { throw Violation(.liveness, "by the coordinator's own word") }
        try checkAnswers()
        try checkTimer(coordinator)
    }

    /// Every run and every copy waits for a step that is in the agenda, or for another copy that lives.
    private func checkAnswers() throws {
        for (number, copy) in copies {
            switch copy.wait {
            case nil:
                if agenda.count(of: copy.owner) != 1 {
                    throw Violation(
                        .lostEffect,
                        "copy \(number) of \(copy.resource) waits for \(agenda.count(of: copy.owner)) steps")
                }
            case .claim(let resource):
                guard let holder = claims[resource]?.holder, copies[holder] != nil, holder != number else {
                    throw Violation(.lostEffect, "copy \(number) waits for a turn that nobody has")
                }
            case .slot:
                guard let holder = slotHolder ?? slotNext, copies[holder] != nil, holder != number else {
                    throw Violation(.lostEffect, "copy \(number) waits for a slot that nobody has")
                }
            }
        }
        for (number, run) in runs where run.copies.isEmpty && agenda.count(of: run.owner) == 0 {
            throw Violation(.lostEffect, "run \(number) of \(run.text) waits for nothing")
        }
    }

    private func checkTimer(_ coordinator: CoordinatorMachine) throws {
        let timer = agenda.entries.first { $0.owner == .timer }
        if (timer != nil) != (coordinator.armed != nil) {
            throw Violation(
                .liveness, "the timer is \(timer == nil ? "not " : "")set, the coordinator thinks otherwise")
        }
        if isStopping {
            if runs.isEmpty, watch.ending.isEmpty, agenda.count(of: .removal) == 0 {
                throw Violation(.stopping, "a stop that does not end")
            }
            return
        }
        let busy = runs.count + watch.ending.count
        guard canRunAll, busy < scenario.policy.concurrentRuns else { return }
        for (filter, _) in wanted {
            let text = filter.description
            if run(of: text) != nil || watch.isEnding(text) { continue }
            guard watch.asked.contains(text) || scenario.policy.refreshInterval != nil else { continue }
            // Whatever is waited for, a day and a half is longer.
            guard let timer, timer.time <= now + 36 * 3_600_000 else {
                throw Violation(.liveness, "nothing will ever run \(text)")
            }
            if watch.asked.contains(text), watch.isFree.contains(text) {
                throw Violation(.liveness, "\(text) was asked for, and nothing holds it back")
            }
        }
    }

    /// What goes out: tokens with their own filter to the page endpoint only, cursors with their page size.
    func checkRequest(_ target: String, _ run: SimulatedRun, _ kind: SyncError.RequestKind) throws {
        let hasToken = target.contains("sync_token=")
        let hasCursor = target.contains("cursor=")
        guard kind == .page else {
            if hasToken || hasCursor { throw Violation(.requests, "a full copy is asked for with a token: \(target)") }
            return
        }
        guard let request = try? ModelRequest.reading(target) else {
            throw Violation(.requests, "a request that no server reads: \(target)")
        }
        if request.filter?.text != run.text {
            throw Violation(.requests, "\(run.text) asks for another filter: \(target)")
        }
        if hasCursor {
            // A cursor carries its page size; an answer that came by mistake may have another.
            if target != run.nextPage { throw Violation(.requests, "\(run.text) sends a cursor of its own: \(target)") }
        } else if request.perPage != run.perPage {
            throw Violation(.requests, "\(run.text) asks for \(request.perPage) per page, not \(run.perPage)")
        }
        if case .changes(let token) = request.kind, let token, let scope = request.filter,
            token.filterHash != scope.hash
        {
            throw Violation(.requests, "\(run.text) sends the token of another filter")
        }
    }
}
