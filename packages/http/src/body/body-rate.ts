/** Calls `run` after `ms`; what it returns cancels that. */
export type AfterTimeout = (ms: number, run: () => void) => () => void

export const afterTimeout: AfterTimeout = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

const INTERVAL_MS = 10_000
/** 16 KiB a second: what a slow mobile connection uploads. */
export const BYTES_PER_INTERVAL = 160 * 1024

/** The longest that `watchRate` lets a body of so many bytes take. */
export function slowestBodyMs(bytes: number): number {
  return (2 + Math.ceil(bytes / BYTES_PER_INTERVAL)) * INTERVAL_MS
}

/** `received`: bytes of the body so far. `onStalled` is called at most once. */
export type BodyRate = Readonly<{ after: AfterTimeout; received: () => number; onStalled: () => void }>

/**
 * Watches how fast a body comes in: the first 10 s may be slow, then 160 KiB in every 10 s. Returns what ends the watch: call it
 * when the body has ended.
 */
export function watchRate({ after, received, onStalled }: BodyRate): () => void {
  let before = Number.NEGATIVE_INFINITY
  const look = (): void => {
    const now = received()
    const isStalled = now - before < BYTES_PER_INTERVAL
    before = now
    if (isStalled) onStalled()
    else cancel = after(INTERVAL_MS, look)
  }
  let cancel = after(INTERVAL_MS, look)
  return () => cancel()
}
