/** Where the primary's WAL was, and when. Times are in ms of one monotonic clock. */
export type PrimaryPositions = Readonly<{
  /** False where the position went back: another server took its place, or it was restored. */
  note: (lsn: bigint, at: number) => boolean
  /** How long ago the primary went beyond this position: 0 where it has not; null where that was before the first position that is kept. */
  lagMs: (lsn: bigint, at: number) => number | null
  /** How many bytes behind the newest position; null before the first. */
  lagBytes: (lsn: bigint) => bigint | null
}>

type Sample = Readonly<{ lsn: bigint; at: number }>

/**
 * Measures lag by the primary's own positions, so that neither the clocks of the servers count, nor how seldom something is written. Positions stay for
 * `keepMs`, and the newest one before.
 */
export function primaryPositions(keepMs: number): PrimaryPositions {
  let samples: readonly Sample[] = []
  return {
    note: (lsn, at) => {
      const newest = samples.at(-1)
      if (newest?.lsn === lsn) return true
      const goesOn = newest === undefined || lsn > newest.lsn
      if (!goesOn) samples = []
      const firstKept = samples.findLastIndex((sample) => sample.at < at - keepMs)
      samples = [...samples.slice(Math.max(0, firstKept)), { lsn, at }]
      return goesOn
    },
    lagMs: (lsn, at) => {
      const oldest = samples[0]
      if (oldest === undefined || lsn < oldest.lsn) return null
      const beyond = samples.find((sample) => sample.lsn > lsn)
      return beyond === undefined ? 0 : at - beyond.at
    },
    lagBytes: (lsn) => {
      const newest = samples.at(-1)
      if (newest === undefined) return null
      return newest.lsn > lsn ? newest.lsn - lsn : 0n
    },
  }
}
