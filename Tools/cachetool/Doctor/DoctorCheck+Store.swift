import LarderStore

// The checks of the file as such: damage, opening, locks.

extension DoctorCheck {
    static func damage(_ facts: DoctorFacts) -> [Diagnosis] {
        facts.damage.map { group in
            let what = "\(countText(group.count, "finding")) of kind \(group.kind) in the table \(group.table)"
            if group.severity == .minor {
                return Diagnosis(
                    severity: .note, found: "Verifying has \(what).", kept: group.consequence, remedy: group.remedy)
            }
            return Diagnosis(
                severity: .broken, found: "Stored bytes are damaged: \(what).",
                kept: "\(group.consequence) Everything else is kept.",
                remedy: "Run 'cachetool verify STORE' for each place, and 'cachetool salvage STORE --to NEW', which "
                    + "saves the rest into a new store. For this table: \(group.remedy)",
                status: .damage)
        }
    }

    /// Parts with a damaged record, which their checks did not look at.
    static func unreadable(_ facts: DoctorFacts) -> [Diagnosis] {
        facts.unreadable.map { part in
            let reason = facts.redactor.isOn ? "" : " (\(part.reason))"
            return Diagnosis(
                severity: .broken, found: "A record that the part '\(part.part.rawValue)' needs is damaged\(reason).",
                kept: "The other records are kept; the checks of this part were left out.",
                remedy: "Run 'cachetool verify STORE' for each place and its remedy.", status: .damage)
        }
    }

    static func failure(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let failure = facts.failure else { return [] }
        let isDamage = failure.status == .damage
        return [
            Diagnosis(
                severity: .broken, found: "The store cannot be read: \(failure.text)",
                kept: isDamage
                    ? "Nothing was changed; what can still be read of the file can be saved."
                    : "Nothing was changed.",
                remedy: isDamage
                    ? "End the app, and run 'cachetool salvage STORE --to NEW'; an app does the same with "
                        + "StoreOptions.recovery = .salvage."
                    : "Do what that sentence says, then run doctor again.",
                status: failure.status)
        ]
    }

    static func missingGuard(_ facts: DoctorFacts) -> [Diagnosis] {
        if facts.files.hasGuard { return [] }
        return [
            Diagnosis(
                severity: .broken,
                found: "The directory has data.mdb and no guard.lock: it is a published copy, a bare LMDB file, or no "
                    + "store.",
                kept: "data.mdb was neither read nor changed.",
                remedy: "Open a published copy with PublishedStore.open; beside the file of a store, create an empty "
                    + "guard.lock.", status: .system)
        ]
    }

    static func writeAccess(_ facts: DoctorFacts) -> [Diagnosis] {
        if facts.files.isWritable { return [] }
        return [
            Diagnosis(
                severity: .attention, found: "This user may not write data.mdb.",
                kept: "Reads work; writes by this user fail with EngineError.accessDenied.",
                remedy: "Run the app as the owner of the file, or correct its owner and mode (chown, chmod u+w).")
        ]
    }

    static func readers(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let space = facts.space, space.usedReaders * 5 >= space.maximumReaders * 4 else { return [] }
        return [
            Diagnosis(
                severity: .attention,
                found: "\(space.usedReaders) of \(space.maximumReaders) slots for readers were used.",
                kept: "Reads beyond the last slot fail with EngineError.readersFull; stored content is not at risk.",
                remedy: "End long reads, and close programs that are not needed; StoreOptions.maximumReaders of the "
                    + "first open adds slots.")
        ]
    }

    static func damagedCopy(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let size = facts.files.damagedCopySize else { return [] }
        return [
            Diagnosis(
                severity: .attention,
                found: "damaged.mdb of \(sizeText(size)) is there: an open has replaced a damaged file.",
                kept: "The store has what could be saved of it, and the damaged file is kept.",
                remedy: "Store.recovery of that open says what was lost; remove damaged.mdb when it is of no more use.")
        ]
    }

    static func leftovers(_ facts: DoctorFacts) -> [Diagnosis] {
        var found: [Diagnosis] = []
        // Where a process has the store open, they may be in use.
        if !facts.isInUse, !facts.files.leftovers.isEmpty {
            found.append(
                Diagnosis(
                    severity: .note,
                    found: "\(countText(facts.files.leftovers.count, "temporary file")) of killed processes in the "
                        + "store's directory: \(names(facts.files.leftovers)).",
                    kept: "No reader sees what they hold; the store's content is kept.",
                    remedy: "The next open for writing removes them: start the app."))
        }
        if !facts.files.leftoversBeside.isEmpty {
            let shown = facts.redactor.isOn ? "" : ": \(names(facts.files.leftoversBeside))"
            found.append(
                Diagnosis(
                    severity: .note,
                    found: "\(countText(facts.files.leftoversBeside.count, "unfinished copy", "unfinished copies")) of "
                        + "killed verbs beside the store\(shown).",
                    kept: "They are copies, and the store does not use them.",
                    remedy: "Remove them, or run the verb again with the same output, which removes them."))
        }
        return found
    }

    /// The first three names.
    private static func names(_ all: [String]) -> String {
        all.prefix(3).joined(separator: ", ") + (all.count > 3 ? " and \(all.count - 3) more" : "")
    }
}
