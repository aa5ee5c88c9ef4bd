extension TupleReader {
    /// Reads a number that cannot be negative, such as a count, a size or a sequence.
    mutating func count(_ field: String) throws(FormatError) -> Int64 {
        let value = try integer()
        guard value >= 0 else { throw .invalidValue(field: field, value: value) }
        return value
    }

    /// Reads a number that cannot be negative, or null.
    mutating func optionalCount(_ field: String) throws(FormatError) -> Int64? {
        try consumeNull() ? nil : count(field)
    }

    /// Reads a state by its number.
    mutating func state<State: RawRepresentable>(
        _ field: String, as type: State.Type
    ) throws(FormatError) -> State where State.RawValue == Int64 {
        let value = try integer()
        guard let state = State(rawValue: value) else { throw .invalidValue(field: field, value: value) }
        return state
    }
}
