// Shrinker: makes a failing history shorter.

/// Makes a failing history shorter.
package enum Shrinker {
    /// A shorter list of steps that still fails, by leaving out ever smaller stretches (Zeller and Hildebrandt,
    /// "Simplifying and isolating failure-inducing input", 2002).
    ///
    /// Within the budget the result is 1-minimal: without any one of its steps it passes.
    ///
    /// - Parameters:
    ///   - steps: A list that fails.
    ///   - budget: How often `fails` may be asked; 0 or more.
    ///   - fails: Whether a list, always some of `steps` in their order, fails. A pure function.
    /// - Complexity: O(*n*²) calls at most for *n* steps, far fewer where few steps matter.
    package static func shrink<Step>(_ steps: [Step], budget: Int, fails: ([Step]) -> Bool) -> [Step] {
        var steps = steps
        var left = budget
        var size = (steps.count + 1) / 2
        while size >= 1, !steps.isEmpty, left > 0 {
            var isShorter = false
            // From the end: what comes after the failure goes at once.
            var end = steps.count
            while end > 0, left > 0 {
                let start = max(0, end - size)
                let candidate = Array(steps[..<start] + steps[end...])
                left -= 1
                if fails(candidate) {
                    steps = candidate
                    isShorter = true
                }
                end = start
            }
            if size > 1 {
                size = (size + 1) / 2
            } else if !isShorter {
                break
            }
        }
        return steps
    }
}
