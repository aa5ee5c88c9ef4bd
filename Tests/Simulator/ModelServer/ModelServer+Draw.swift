// ModelServer+Draw: draws random mutations.

package import LarderTesting

extension ModelServer {
    /// Does one thing drawn from `generator`, and says which.
    @discardableResult
    package mutating func mutate(using generator: inout SeededGenerator) -> ModelMutation {
        let mutation = nextMutation(using: &generator)
        apply(mutation)
        return mutation
    }

    /// One thing that makes sense in this state most of the time: rows often, whole resources now and then, the log and
    /// backups rarely.
    package func nextMutation(using generator: inout SeededGenerator) -> ModelMutation {
        let visible = resources.filter { $0.content != nil }.map(\.id)
        let hidden = resources.filter { $0.hidden != nil }.map(\.id)
        guard let resource = generator.pick(visible) else { return creation(using: &generator) }
        switch generator.below(1000) {
        case ..<420: return .put(resource, anyRow(of: resource, using: &generator))
        case ..<620:
            let row = generator.pick(place(of: resource).map { rows(at: $0) } ?? [])
            return .deleteRow(resource, row?.id ?? anyRow(of: resource, using: &generator))
        case ..<700: return creation(using: &generator)
        case ..<760: return .replace(resource, anyRows(of: resource, using: &generator))
        case ..<780: return .replace(resource, [])
        case ..<840: return .hide(resource)
        case ..<900: return .publish(generator.pick(hidden) ?? resource)
        case ..<920: return .delete(generator.pick(visible + hidden) ?? resource)
        case ..<940: return .touch(resource)
        case ..<960: return .changeSchema(resource)
        case ..<980:
            // A hidden resource changes unseen.
            let unseen = generator.pick(hidden) ?? resource
            return .put(unseen, anyRow(of: unseen, using: &generator))
        case ..<994: return .forgetLog(before: earlierSequence(20, using: &generator) + 1)
        default: return .restore(toSequence: earlierSequence(30, using: &generator))
        }
    }

    private func creation(using generator: inout SeededGenerator) -> ModelMutation {
        let group = generator.pick(shape.groups) ?? "translations"
        let resource = ResourceID(group, Int64(1 + generator.below(shape.resourcesPerGroup)))
        return .create(resource, anyRows(of: resource, using: &generator))
    }

    /// A number of a change at most so far back, not below 0.
    private func earlierSequence(_ most: Int64, using generator: inout SeededGenerator) -> Int64 {
        max(0, sequence - Int64(generator.below(Int(most) + 1)))
    }

    private func anyRows(of resource: ResourceID, using generator: inout SeededGenerator) -> [RowID] {
        (0..<generator.below(shape.rowsPerType + 1)).map { _ in anyRow(of: resource, using: &generator) }
    }

    /// A row as the resource's group names them: `translations` have one type that their rows do not state,
    /// `recitations` two, and all others keys that are no numbers.
    func anyRow(of resource: ResourceID, using generator: inout SeededGenerator) -> RowID {
        let number = 1 + generator.below(shape.rowsPerType)
        switch resource.group {
        case "translations": return RowID("translation", String(number))
        case "recitations":
            return RowID(generator.below(2) == 0 ? "audio_file" : "chapter_audio_file", String(number))
        default: return RowID("entry", "key-\(number)")
        }
    }
}
