import { onAbort } from './on-abort.ts'

/** The result of the work, or null as soon as the signal aborts; the work itself goes on, and what it throws then is dropped. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const remove = onAbort(signal, () => resolve(null))
    const settle =
      <Value>(how: (value: Value) => void) =>
      (value: Value): void => {
        remove()
        how(value)
      }
    work.then(settle(resolve), settle(reject))
  })
}
