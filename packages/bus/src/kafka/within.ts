import { setTimeout as sleep } from 'node:timers/promises'

/** The promise's result, or a rejection after so many milliseconds. The work itself goes on: only nobody waits for it. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const done = new AbortController()
  const late = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`no answer within ${ms} ms`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
