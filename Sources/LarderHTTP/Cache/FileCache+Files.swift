internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import Synchronization

// MARK: - Loading the directory

extension FileCache {
    func load(_ names: [String], _ state: inout State) {
        var found: [(entry: Entry, usedAt: Int64)] = []
        for name in names where name != Self.marker {
            if let entry = read(name) {
                found.append(entry)
            } else {
                directory.remove(name)
            }
        }
        found.sort { ($0.usedAt, $0.entry.record.blob) < ($1.usedAt, $1.entry.record.blob) }
        for (var entry, _) in found {
            state.clock += 1
            entry.lastUse = state.clock
            insert(entry, &state)
            state.nextIdentity = max(state.nextIdentity, UInt64(clamping: entry.record.blob) + 1)
        }
        for key in Array(state.entries.keys) { removeExcess(&state, key, leaving: ResponseLimits.variants) }
        evictOldest(&state)
    }

    private func read(_ name: String) -> (entry: Entry, usedAt: Int64)? {
        guard name.hasSuffix(Self.suffix), let file = try? directory.open(name),
            let (found, record) = try? CacheFile.read(file), Self.name(of: record) == name,
            StoredResponse(record) != nil, let usedAt = try? file.modifiedAt()
        else { return nil }
        let entry = Entry(
            record: record, name: name, size: found.fileSize, lastUse: 0, usedAt: usedAt, useWrittenAt: usedAt)
        return (entry, usedAt)
    }

    static func name(of record: ResponseRecord) -> String {
        hexadecimal(UInt64(bitPattern: ResponseAddress.hash(of: record.key))) + "-"
            + hexadecimal(UInt64(bitPattern: record.blob)) + suffix
    }

    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

// MARK: - Changing the files

extension FileCache {
    /// Renames a finished file into place, and removes the response that it replaces.
    ///
    /// - Returns: false when the file does not fit into ``maximumBytes``. It is removed, and stays readable while open.
    func install(_ file: CacheFile, _ record: ResponseRecord, from name: String) throws -> Bool {
        let isStored = try state.withLock { state in
            // Another cache may use the directory by now.
            if state.lock == nil { throw FileCacheError.closed }
            if Double(file.fileSize) > 0.9 * Double(maximumBytes) {
                directory.remove(name)
                return false
            }
            let time = now()
            try file.file.setModifiedAt(time)
            try directory.rename(name, to: Self.name(of: record))
            let replaced = state.entries[ByteKey(record.key)]?.first { $0.record.selecting == record.selecting }
            if let replaced { drop(replaced, &state) }
            removeExcess(&state, ByteKey(record.key), leaving: ResponseLimits.variants - 1)
            state.clock += 1
            insert(
                Entry(
                    record: record, name: Self.name(of: record), size: file.fileSize, lastUse: state.clock,
                    usedAt: time, useWrittenAt: time), &state)
            evictOldest(&state)
            return state.entries[ByteKey(record.key)]?.contains { $0.record.blob == record.blob } ?? false
        }
        if isStored { try directory.sync() }
        return isStored
    }

    func abandon(_ name: String) {
        state.withLock { if $0.lock != nil { directory.remove(name) } }
    }

    private func insert(_ entry: Entry, _ state: inout State) {
        state.entries[ByteKey(entry.record.key), default: []].append(entry)
        state.size += entry.size
    }

    func drop(_ entry: Entry, _ state: inout State) {
        directory.remove(entry.name)
        let key = ByteKey(entry.record.key)
        guard let index = state.entries[key]?.firstIndex(where: { $0.name == entry.name }) else { return }
        state.entries[key]?.remove(at: index)
        if state.entries[key]?.isEmpty == true { state.entries[key] = nil }
        state.size -= entry.size
    }

    /// Removes the least recently used responses of a key until `count` are left. Pinned ones stay and do not count.
    private func removeExcess(_ state: inout State, _ key: ByteKey, leaving count: Int) {
        let unpinned = (state.entries[key] ?? []).filter { !$0.record.isPinned }
        for entry in ResponseLimits.excess(of: unpinned, leaving: count, \.lastUse) { drop(entry, &state) }
    }

    /// Evicts the least recently used responses down to nine tenths of ``maximumBytes``, once the files exceed it.
    ///
    /// Pinned responses are evicted only when they alone exceed the maximum. The most recently used go first then, so
    /// that a new response does not replace older pinned ones.
    private func evictOldest(_ state: inout State) {
        if state.size <= UInt64(maximumBytes) { return }
        let goal = UInt64(Double(maximumBytes) * 0.9)
        let candidates = state.entries.values.joined().filter { !$0.record.isPinned }
        for entry in candidates.sorted(by: { $0.lastUse < $1.lastUse }) where state.size > goal { drop(entry, &state) }
        let newest = state.entries.values.joined().sorted { $0.lastUse > $1.lastUse }
        for entry in newest where state.size > UInt64(maximumBytes) { drop(entry, &state) }
    }

    func edit(_ key: String, _ edit: (inout ResponseRecord) -> Void) throws {
        try state.withLock { state in
            for index in state.entries[ByteKey(key)]?.indices ?? 0..<0 {
                guard var entry = state.entries[ByteKey(key)]?[index] else { continue }
                let before = entry.record
                edit(&entry.record)
                if entry.record == before { continue }
                let size = try rewrite(entry)
                state.size = state.size - entry.size + size
                entry.size = size
                state.entries[ByteKey(key)]?[index] = entry
            }
        }
    }

    /// Writes the file of an entry again, with a new head and the same body.
    ///
    /// - Returns: the size of the file.
    /// - Throws: ``HTTPCacheError/bodyRemoved`` when the old file is damaged; ``EngineError``.
    private func rewrite(_ entry: Entry) throws -> UInt64 {
        guard let (file, _) = try CacheFile.read(try directory.open(entry.name)) else {
            throw HTTPCacheError.bodyRemoved
        }
        let name = entry.name + Self.unfinished
        do {
            var copy = try CacheFile(new: try directory.make(name))
            while copy.byteCount < file.byteCount {
                guard let bytes = try file.block(copy.byteCount / Int64(CacheFile.blockSize)) else {
                    throw HTTPCacheError.bodyRemoved
                }
                try copy.append(bytes)
            }
            try copy.finish(entry.record)
            try copy.file.setModifiedAt(entry.useWrittenAt)
            try directory.rename(name, to: entry.name)
            return copy.fileSize
        } catch {
            directory.remove(name)
            throw error
        }
    }
}
