import LarderFormat
import LarderJSON

/// Merge patches, compared with the algorithm of RFC 7396 over trees.
enum PatchedText {
    /// Draws a patch and a target of any bytes.
    static func checkMerge(_ input: inout FuzzedBytes) {
        let text = input.bytes()
        guard let patch = JSONMergePatch(text), let change = JSONTree(text) else {
            require(JSONMergePatch(text) == nil, "a patch is no JSON text")
            return
        }
        let target = input.remainder()
        let merged = patch.merged(over: target.rawSpan.bytes)
        require(JSONText.isValue(merged.rawSpan.bytes), "a merged text is no JSON")
        let expected = (JSONTree(target) ?? .null).patched(by: change)
        require(JSONTree(merged) == expected, "merged is \(String(decoding: merged, as: UTF8.self))")
        require(patch.merged(over: merged.rawSpan.bytes) == merged, "a patch changes its own result")
    }

    /// Draws two patches and a target, and compares the composed patch with both, one after the other.
    static func checkComposition(_ input: inout FuzzedBytes) {
        let (text, later) = (input.bytes(), input.bytes())
        guard let first = JSONMergePatch(text), let second = JSONMergePatch(later),
            let composed = first.followed(by: second)
        else { return }
        guard let both = JSONMergePatch(composed) else { fatalError("a composed patch is no patch") }
        let target = input.remainder()
        let one = second.merged(over: first.merged(over: target.rawSpan.bytes).rawSpan.bytes)
        let other = both.merged(over: target.rawSpan.bytes)
        require(JSONTree(one) == JSONTree(other), "a composed patch has another effect")
    }
}
