/// A coder that reads or writes the elements of a body, so that a record states its fields once, in their order.
///
/// Writing appends each value and does not change it. Reading replaces each value by the stored one. After the first
/// error nothing more is read and the remaining values do not change, so check ``failure`` before you use any of them.
package struct FieldCoder: ~Escapable {
    /// Whether values are read; otherwise they are written.
    let isReading: Bool
    /// The first error while reading.
    private(set) var failure: FormatError?
    private var reader: TupleReader
    private var writer = TupleWriter()

    /// Creates a coder that reads the elements of `body`.
    @_lifetime(copy body)
    init(reading body: RawSpan) {
        isReading = true
        reader = TupleReader(body)
    }

    /// Creates a coder that writes elements.
    @_lifetime(immortal)
    init() {
        isReading = false
        reader = TupleReader(RawSpan())
    }

    /// The bytes written so far.
    var bytes: [UInt8] { writer.bytes }

    /// Codes an integer.
    mutating func integer(_ value: inout Int64) {
        code(&value, read: { (reader) throws(FormatError) in try reader.integer() }, write: { $0.append(integer: $1) })
    }

    /// Codes an integer, or null.
    mutating func integer<Number: FixedWidthInteger>(_ value: inout Number?) {
        code(
            &value, read: { (reader) throws(FormatError) in Number(clamping: try reader.integer()) },
            write: { $0.append(integer: Int64(clamping: $1)) })
    }

    /// Writes null; reads null, or skips the integer that an earlier version wrote.
    mutating func reserved() {
        var value: Int64?
        integer(&value)
    }

    /// Codes the integer with the same bits.
    mutating func bits(_ value: inout UInt64) {
        code(
            &value, read: { (reader) throws(FormatError) in UInt64(bitPattern: try reader.integer()) },
            write: { $0.append(integer: Int64(bitPattern: $1)) })
    }

    /// Codes the integer with the same bits, or null.
    mutating func bits(_ value: inout UInt64?) {
        code(
            &value, read: { (reader) throws(FormatError) in UInt64(bitPattern: try reader.integer()) },
            write: { $0.append(integer: Int64(bitPattern: $1)) })
    }

    /// Codes a number that cannot be negative: a count, a size, a sequence. `field` is its name in errors.
    mutating func count<Number: FixedWidthInteger>(_ field: String, _ value: inout Number) {
        code(
            &value, read: { (reader) throws(FormatError) in Number(clamping: try reader.count(field)) },
            write: { $0.append(integer: Int64(clamping: $1)) })
    }

    /// Codes a number that cannot be negative, or null.
    mutating func count<Number: FixedWidthInteger>(_ field: String, _ value: inout Number?) {
        code(
            &value, read: { (reader) throws(FormatError) in Number(clamping: try reader.count(field)) },
            write: { $0.append(integer: Int64(clamping: $1)) })
    }

    /// Codes the number of a state. Reading fails with ``FormatError/invalidValue(field:value:)`` for an unknown
    /// number.
    mutating func state<State: RawRepresentable<Int64>>(_ field: String, _ value: inout State) {
        code(
            &value, read: { (reader) throws(FormatError) in try reader.state(field, as: State.self) },
            write: { $0.append(integer: $1.rawValue) })
    }

    /// Codes a text.
    mutating func text(_ value: inout String) {
        code(&value, read: { (reader) throws(FormatError) in try reader.text() }, write: { $0.append(text: $1) })
    }

    /// Codes a text, or null.
    mutating func text(_ value: inout String?) {
        code(&value, read: { (reader) throws(FormatError) in try reader.text() }, write: { $0.append(text: $1) })
    }

    /// Codes bytes.
    mutating func bytes(_ value: inout [UInt8]) {
        code(&value, read: { (reader) throws(FormatError) in try reader.bytes() }, write: { $0.append(bytes: $1) })
    }

    /// Codes bytes, or null.
    mutating func bytes(_ value: inout [UInt8]?) {
        code(&value, read: { (reader) throws(FormatError) in try reader.bytes() }, write: { $0.append(bytes: $1) })
    }

    /// Codes a truth value.
    mutating func bool(_ value: inout Bool) {
        code(&value, read: { (reader) throws(FormatError) in try reader.bool() }, write: { $0.append(bool: $1) })
    }

    /// Codes a UUID.
    mutating func uuid(_ value: inout UUIDBytes) {
        code(&value, read: { (reader) throws(FormatError) in try reader.uuid() }, write: { $0.append(uuid: $1) })
    }

    /// Codes a UUID, or null.
    mutating func uuid(_ value: inout UUIDBytes?) {
        code(&value, read: { (reader) throws(FormatError) in try reader.uuid() }, write: { $0.append(uuid: $1) })
    }

    /// Codes the group and the number of a resource, as two elements.
    mutating func resource(_ value: inout ResourceKey) {
        code(
            &value, read: { (reader) throws(FormatError) in try reader.resource() }, write: { $0.append(resource: $1) })
    }

    /// Codes a row's full name, as four elements.
    mutating func row(_ value: inout RowKey) {
        code(&value, read: { (reader) throws(FormatError) in try reader.row() }, write: { $0.append(row: $1) })
    }

    /// Codes a row's full name as four elements, or four nulls. `field` is its name in errors.
    mutating func row(_ field: String, _ value: inout RowKey?) {
        var (group, id, type, key) = (value?.resource.group, value?.resource.id, value?.type, value?.key)
        text(&group)
        integer(&id)
        text(&type)
        code(
            &key, read: { (reader) throws(FormatError) in try reader.recordKey() },
            write: { $0.append(recordKey: $1) })
        if let group, let id, let type, let key {
            value = RowKey(resource: ResourceKey(group, id), type: type, key: key)
        } else {
            require(group == nil && id == nil && type == nil && key == nil, field, 0)
        }
    }

    /// Codes an element of any kind.
    mutating func element(_ value: inout TupleElement) {
        code(
            &value, read: { (reader) throws(FormatError) in try reader.element() },
            write: { $0.append(element: $1) })
    }
}

// MARK: - Rules

extension FieldCoder {
    /// Codes a list as one element: bytes that are a tuple of their own, with the elements of each member in order.
    ///
    /// - Parameters:
    ///   - blank: a member to read into.
    ///   - isInformative: whether nothing depends on it: one with an error in it is read as an empty one.
    ///   - fields: visits the fields of a member.
    mutating func list<Member>(
        _ members: inout [Member], of blank: Member, isInformative: Bool = false,
        _ fields: (inout FieldCoder, inout Member) -> Void
    ) {
        var content: [UInt8] = []
        if !isReading {
            var list = FieldCoder()
            for var member in members { fields(&list, &member) }
            content = list.bytes
        }
        bytes(&content)
        if !isReading { return }
        members = []
        var list = FieldCoder(reading: content.rawSpan)
        while list.failure == nil, !list.reader.isAtEnd {
            var member = blank
            fields(&list, &member)
            members.append(member)
        }
        if isInformative, list.failure != nil { return members = [] }
        failure = failure ?? list.failure
    }

    /// Codes a list as ``list(_:of:_:)``, but writes nothing for an empty one.
    mutating func trailing<Member>(
        _ members: inout [Member], of blank: Member, isInformative: Bool = false,
        _ fields: (inout FieldCoder, inout Member) -> Void
    ) {
        guard isReading ? reader.isAtBytes : !members.isEmpty else { return members = [] }
        list(&members, of: blank, isInformative: isInformative, fields)
    }

    /// Codes an integer, but writes nothing for nil. When reading, an element of another kind is of a later version and
    /// counts as nil.
    ///
    /// - Parameter isLast: whether no element is written after it; where one is, nil is written as null.
    /// - Returns: whether the record has the element, so that another one may follow.
    @discardableResult
    mutating func trailing(_ value: inout Int64?, isLast: Bool = true) -> Bool {
        let isThere = isReading ? reader.isAtInteger || reader.isAtNull : value != nil || !isLast
        if isThere { integer(&value) } else { value = nil }
        return isThere
    }

    /// Codes a text as ``trailing(_:)`` codes an integer.
    mutating func trailing(_ value: inout String?) {
        if isReading ? reader.isAtText : value != nil { text(&value) } else { value = nil }
    }

    /// Codes the bytes of a record as ``trailing(_:)`` codes an integer.
    mutating func trailing<Part: TupleRecord>(_ part: inout Part?) {
        guard isReading ? reader.isAtBytes : part != nil else { return part = nil }
        var content = part?.encode() ?? []
        bytes(&content)
        if !isReading || failure != nil { return }
        do throws(FormatError) { part = try Part(decoding: content.rawSpan) } catch { failure = error }
    }

    /// Codes all remaining elements, of any kind.
    mutating func rest(_ elements: inout [TupleElement]) {
        if isReading { elements = [] }
        for index in elements.indices { element(&elements[index]) }
        while isReading, failure == nil, !reader.isAtEnd {
            var next = TupleElement.null
            element(&next)
            elements.append(next)
        }
    }

    /// Fails when reading, unless the values read so far are consistent.
    mutating func require(_ isValid: Bool, _ field: String, _ value: Int64) {
        if isReading, !isValid { fail(.invalidValue(field: field, value: value)) }
    }

    /// Sets ``failure``, unless it is set already.
    mutating func fail(_ error: FormatError) {
        failure = failure ?? error
    }

    @inline(__always)
    private mutating func code<Value>(
        _ value: inout Value, read: (inout TupleReader) throws(FormatError) -> Value,
        write: (inout TupleWriter, Value) -> Void
    ) {
        if !isReading { return write(&writer, value) }
        if failure != nil { return }
        do throws(FormatError) { value = try read(&reader) } catch { failure = error }
    }

    @inline(__always)
    private mutating func code<Value>(
        _ value: inout Value?, read: (inout TupleReader) throws(FormatError) -> Value,
        write: (inout TupleWriter, Value) -> Void
    ) {
        code(&value) { (reader) throws(FormatError) -> Value? in
            try reader.consumeNull() ? nil : try read(&reader)
        } write: { writer, value in
            if let value { write(&writer, value) } else { writer.appendNull() }
        }
    }
}
