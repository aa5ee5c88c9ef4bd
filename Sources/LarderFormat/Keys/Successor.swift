/// Returns the smallest byte string above every one that begins with `prefix`; `nil` when there is none.
///
/// It is the end of a prefix scan: the last byte below FF is raised by one and the bytes behind it are dropped.
package func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var bound = Array(prefix[...last])
    bound[last] += 1
    return bound
}
