import { aborted } from './waiting.ts'

/**
 * The work's result, or null when the signal comes first: then nobody waits for it any more. A log that is away is asked with more
 * patience than a stop has.
 */
export function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const unlink = aborted(signal, () => resolve(null))
    const end =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        unlink()
        settle(value)
      }
    work.then(end(resolve), end(reject))
  })
}
