/** `unsaid`: lines that were left out before this one, 0 where none were. */
type WriteLine = (unsaid: number) => void

/**
 * Lets at most `lines` lines through in `perMs`, and tells the next one how many were left out: what can happen to thousands of jobs at once
 * must not fill a disk. `now`: milliseconds that never go back.
 */
export function createLineBudget({
  lines,
  perMs,
  now = () => performance.now(),
}: Readonly<{ lines: number; perMs: number; now?: () => number }>): (write: WriteLine) => void {
  let began = Number.NEGATIVE_INFINITY
  let written = 0
  let unsaid = 0
  return (write) => {
    if (now() - began >= perMs) {
      began = now()
      written = 0
    }
    if (written >= lines) {
      unsaid++
      return
    }
    written++
    write(unsaid)
    unsaid = 0
  }
}
