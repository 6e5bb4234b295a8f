export type Anchoring = Readonly<{
  /** The delay after the first failure; it doubles, up to an hour. */
  retryMs: number
  /** An anchor that has not answered for so long is a fault. */
  answerMs: number
  anchor: () => Promise<void>
}>

const LONGEST_RETRY_MS = 3_600_000

/**
 * Begins to anchor, beside the work of the caller, where no attempt is under way and no delay is left. Only one at a time: what hangs may be
 * a disk, which no signal ends. Each call throws what keeps heads from being anchored, until that is over.
 */
export function keepAnchoring({ retryMs, answerMs, anchor }: Anchoring): (now: number) => void {
  let begunAt: number | null = null
  let retryAt = 0
  let delayMs = retryMs
  let fault: unknown = null

  const attempt = async (): Promise<void> => {
    try {
      await anchor()
      fault = null
      delayMs = retryMs
    } catch (error) {
      fault = error
      retryAt = performance.now() + delayMs
      delayMs = Math.min(delayMs * 2, LONGEST_RETRY_MS)
    }
    begunAt = null
  }

  return (now) => {
    if (begunAt !== null && now - begunAt >= answerMs)
      throw new Error(
        `The anchor has not answered for ${answerMs / 1_000} s: heads are signed, and not anchored. See whether its disk or server hangs.`,
      )
    if (begunAt === null && now >= retryAt) {
      begunAt = now
      void attempt()
    }
    if (fault !== null) throw fault
  }
}
