internal import LarderJSON

/// The body of an upload: a JSON object with one member, an array of points as they are in the buffer.
enum UploadBody {
    /// Returns the body; the same points make the same bytes.
    static func encode(_ points: [[UInt8]], as member: String) -> [UInt8] {
        var bytes = [UInt8(ascii: "{")]
        JSONText.append(quoting: member, to: &bytes)
        bytes.append(contentsOf: ":[".utf8)
        for (index, point) in points.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: point)
        }
        bytes.append(contentsOf: "]}".utf8)
        return bytes
    }
}
