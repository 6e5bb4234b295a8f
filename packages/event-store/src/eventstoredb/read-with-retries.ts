import { backoffDelay, pause } from '@tidings/async'
import { Unavailable } from '../errors.ts'

import { readFailure } from './call-failure.ts'
import type { Connection } from './connection.ts'
import type { ReadAnswer, Recorded } from './decode-read.ts'
import type { streams } from './protobuf.ts'
import { readCall } from './read-call.ts'

/** Milliseconds: of silence in one read, and of trying altogether. */
export type ReadTimes = Readonly<{ silenceMs: number; deadlineMs: number }>

export const READ_TIMES: ReadTimes = { silenceMs: 5_000, deadlineMs: 10_000 }

type ReadConnection = Readonly<{ connection: Connection; closed: AbortSignal; times: Readonly<{ silenceMs: number }> }>

type ReadWithRetriesOptions = ReadConnection & Readonly<{ times: ReadTimes; confirm: () => Promise<void> }>

/** `what` is read, for the error; the request is made anew for each try. */
export type ReadWithRetries = (what: string, request: () => streams.ReadReq) => Promise<Recorded[]>

/**
 * Repeats a read whole until its deadline, then rejects with Unavailable; a tombstone, a refusal and LogWentBack reject at once. `confirm`
 * comes after the read: what was read counts only where the log is the one that was seen.
 */
export function readWithRetries(options: ReadWithRetriesOptions): ReadWithRetries {
  return async (what, request) => {
    const { closed, times } = options
    const until = performance.now() + times.deadlineMs
    for (let attempt = 1; ; attempt++) {
      try {
        const recorded = await readOnce(options, request())
        await options.confirm()
        return recorded
      } catch (caught) {
        const { error, again } = readFailure(what, caught)
        const wait = backoffDelay(attempt)
        if (!again || closed.aborted || performance.now() + wait >= until) throw error
        await pause(wait, closed)
      }
    }
  }
}

/** One read, which throws as its call does; Unavailable where the server sends nothing for `silenceMs`. */
export async function readOnce({ connection, closed, times }: ReadConnection, request: streams.ReadReq): Promise<Recorded[]> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), times.silenceMs)
  const recorded: Recorded[] = []
  const take = (answer: ReadAnswer): undefined => {
    timer.refresh()
    if (typeof answer !== 'string') recorded.push(answer)
  }
  try {
    await readCall({ connection, request, take, signal: AbortSignal.any([silence.signal, closed]) })
  } finally {
    clearTimeout(timer)
  }
  if (silence.signal.aborted) throw new Unavailable(`EventStoreDB said nothing for ${times.silenceMs} ms`)
  if (closed.aborted) throw new Unavailable('the event store is closed')
  return recorded
}
