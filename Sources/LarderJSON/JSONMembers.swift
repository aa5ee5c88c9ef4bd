internal import LarderFormat

/// The members of a JSON object, each as it is spelled, which can be read, changed and written back.
///
/// Names are compared with their escapes decoded, byte for byte. Of members with one name the first counts.
package struct JSONMembers: Hashable, Sendable {
    /// One member.
    package struct Member: Hashable, Sendable {
        /// The name, its escapes decoded.
        package let name: [UInt8]
        /// The name as it is spelled, quotes included.
        package let spelling: [UInt8]
        /// The value as it is spelled, without white space around it.
        package var value: [UInt8]

        /// The decoded value; nil when ``value`` is no JSON text.
        package var decoded: JSONValue? { JSONValue(value.rawSpan.bytes) }
    }

    /// The members in their order; nil where one was removed.
    private var slots: [Member?] = []
    private var places: [[UInt8]: Int] = [:]

    /// The members, in their order.
    package var members: [Member] { slots.compactMap { $0 } }

    /// Reads the members of a text; nil when it is no JSON object (RFC 8259, nested at most 1000 deep) in UTF-8.
    ///
    /// - Complexity: O(*n*) in its bytes.
    package init?(_ text: [UInt8]) {
        do throws(JSONError) {
            try self.init(text.rawSpan.bytes, limits: .stored, acceptsRepeatedNames: true)
        } catch {
            return nil
        }
    }

    /// Reads the members of a text that is an object.
    ///
    /// - Throws: ``JSONError`` with ``JSONError/Reason/noObject`` for another value, ``JSONError/Reason/repeatedName``
    ///   for a name that is repeated without `acceptsRepeatedNames`; else as ``JSONReader``.
    /// - Complexity: O(*n*) in its bytes.
    package init(
        _ text: Span<UInt8>, limits: JSONLimits = JSONLimits(), acceptsRepeatedNames: Bool = false
    ) throws(JSONError) {
        var reader = JSONReader(text, limits: limits)
        guard try reader.token() == .objectBegin else { throw JSONError(.noObject, at: Int64(reader.range.lowerBound)) }
        while try reader.token() == .name {
            let (name, spelling) = (reader.text, reader.range)
            let value = try reader.skipValue()
            if self[name] == nil {
                let value = [UInt8](copying: text.extracting(value))
                put(Member(name: name, spelling: [UInt8](copying: text.extracting(spelling)), value: value))
            } else if !acceptsRepeatedNames {
                throw JSONError(.repeatedName, at: Int64(spelling.lowerBound))
            }
        }
        try reader.finish()
    }

    /// The member with this name, or nil.
    package subscript(name: [UInt8]) -> Member? { places[name].flatMap { slots[$0] } }

    /// The member with this name, or nil.
    package subscript(name: String) -> Member? { self[Array(name.utf8)] }

    /// Replaces the value of the member with the same name, or appends the member.
    package mutating func put(_ member: Member) {
        if let place = places[member.name] {
            slots[place]?.value = member.value
        } else {
            places[member.name] = slots.count
            slots.append(member)
        }
    }

    /// Removes the member with this name.
    package mutating func remove(_ name: [UInt8]) {
        if let place = places.removeValue(forKey: name) { slots[place] = nil }
    }

    /// The object as a JSON text.
    package var text: [UInt8] {
        var text = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += member.spelling
            text.append(UInt8(ascii: ":"))
            text += member.value
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Whether two values differ at most in the white space between their parts; true when both are nil.
    package static func isSame(_ left: Member?, _ right: Member?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if left.value == right.value { return true }
        return JSONText.minified(left.value.rawSpan.bytes) == JSONText.minified(right.value.rawSpan.bytes)
    }
}
