// The checks of space: on the device, in the map, under the cap, in the file.

/// The bounds from which on space is reported, in bytes where nothing else is said.
enum SpaceBounds {
    /// Free space below which commits are about to fail.
    static let leastFree: Int64 = 16 << 20
    /// Free space below which it is scarce.
    static let scarceFree: Int64 = 256 << 20
    /// Unused pages, or garbage, below which nothing is gained by removing them.
    static let wastedSize: Int64 = 8 << 20
}

extension DoctorCheck {
    static func freeSpace(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let free = facts.files.freeSpace, free < SpaceBounds.scarceFree else { return [] }
        // A small store needs less.
        let isFull = free < min(SpaceBounds.leastFree, facts.space?.fileSize ?? .max)
        return [
            Diagnosis(
                severity: isFull ? .broken : .attention,
                found: "The file system has \(sizeText(free)) free.",
                kept: "Stored content is kept; a commit that does not fit fails with EngineError.diskFull and changes "
                    + "nothing.",
                remedy: "Free space on the device, or lower StoreOptions.sizeCap of the app.")
        ]
    }

    static func map(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let space = facts.space, space.mapCap > 0 else { return [] }
        let used = Int64(space.pages) * Int64(space.pageSize)
        guard used >= space.mapCap / 10 * 8 else { return [] }
        let isFull = used >= space.mapCap / 100 * 98
        return [
            Diagnosis(
                severity: isFull ? .broken : .attention,
                found: "The file uses \(sizeText(used)) of the \(sizeText(space.mapCap)) that a map has by default.",
                kept: "Stored content is kept; writes beyond the end fail with EngineError.mapFull.",
                remedy: "Raise StoreOptions.mapSizeCap, or remove content and run 'cachetool compact STORE'.")
        ]
    }

    static func cap(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let space = facts.space, let cap = space.cap else { return [] }
        let sizes = "\(sizeText(space.storedSize)) are stored, and the cap is \(sizeText(cap))"
        if space.heldSize >= cap / 10 * 9 {
            return [
                Diagnosis(
                    severity: .broken,
                    found: "\(sizes); \(sizeText(space.heldSize)) of that may not be evicted.",
                    kept: "Stored content is kept; writes that do not fit fail with StoreError.full.",
                    remedy: "Unpin resources ('cachetool pin STORE GROUP/ID --off'), send the writes, or raise "
                        + "StoreOptions.sizeCap.")
            ]
        }
        guard space.storedSize >= cap / 10 * 9 else { return [] }
        return [
            Diagnosis(
                severity: .note, found: "\(sizes).",
                kept: "Content that can be fetched again is evicted for new content; pinned content and writes stay.",
                remedy: "Raise StoreOptions.sizeCap if content disappears too early.")
        ]
    }

    static func evictions(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let journal = facts.journal, journal.evictions > 0 else { return [] }
        return [
            Diagnosis(
                severity: .note,
                found: "\(countText(journal.evictions, "eviction")) for the cap in the journal, of "
                    + "\(sizeText(journal.evictedSize)), the last at \(timeText(journal.lastEvictionAt)).",
                kept: "Only content that can be fetched again was dropped.",
                remedy: "Raise StoreOptions.sizeCap, or pin what has to stay ('cachetool pin STORE GROUP/ID').")
        ]
    }

    static func evicted(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let count = facts.space?.evictedResources, count > 0 else { return [] }
        return [
            Diagnosis(
                severity: .note, found: "\(countText(count, "resource")) without rows, which were evicted.",
                kept: "The records of these resources are kept, and their rows cannot be read offline.",
                remedy: "The app fetches them again when it opens or pins them, online.")
        ]
    }

    /// Pages that no table uses.
    static func unusedPages(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let space = facts.space, space.pages > 0 else { return [] }
        let unused = max(0, space.pages - space.usedPages)
        let size = Int64(unused) * Int64(space.pageSize)
        guard size >= SpaceBounds.wastedSize, unused * 2 >= space.pages else { return [] }
        let readers = facts.isInUse ? "End reads of the app that last long: they keep old pages from being used. " : ""
        return [
            Diagnosis(
                severity: .note,
                found: "\(unused) of \(space.pages) pages of the file are unused, \(sizeText(size)).",
                kept: "Nothing is lost: later writes use these pages, and the file does not shrink by itself.",
                remedy: "\(readers)To shrink the file, end the app, and run 'cachetool compact STORE'.")
        ]
    }

    static func garbage(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let space = facts.space, space.garbageSize >= SpaceBounds.wastedSize,
            space.garbageSize >= space.storedSize / 4
        else { return [] }
        return [
            Diagnosis(
                severity: .note,
                found: "\(sizeText(space.garbageSize)) of \(sizeText(space.storedSize)) are garbage.",
                kept: "It is replaced content, which no reader sees.",
                remedy: "An app that has the store open removes it in the background: let it run for a while.")
        ]
    }

    /// Generations that nobody writes any more.
    static func staging(_ facts: DoctorFacts) -> [Diagnosis] {
        guard !facts.isInUse, let count = facts.space?.stagingGenerations, count > 0 else { return [] }
        return [
            Diagnosis(
                severity: .note,
                found: "\(countText(count, "snapshot")) half written, and no process has the store open.",
                kept: "Readers see the version before; an unfinished one is never shown.",
                remedy: "The next open for writing discards them: start the app.")
        ]
    }
}
