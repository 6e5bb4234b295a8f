import type { LogRecord } from './log.ts'
import { streamName, type streams } from './protobuf.ts'
import { caughtUpAnswer, checkpointAnswer, confirmationAnswer, eventAnswer } from './read-answers.ts'
import { drained, type ReadCall } from './read-call.ts'
import { filterOf, firstFrom } from './selection.ts'
import type { ServerState } from './server-state.ts'

/** A live subscription with more unread records than this has fallen behind: it says "caught up" again later. */
const LIVE_BUFFER = 32

type Source = Readonly<{ records: () => readonly LogRecord[]; first: number }>

/** Confirms, catches up, says so, follows. Positions and revisions are exclusive here. Ends when the call does. */
export async function follow(state: ServerState, call: ReadCall, options: streams.ReadReq.Options): Promise<void> {
  const source = sourceOf(state, options)
  const matches = filterOf(options)
  state.calls.subscriptions += 1
  call.write(confirmationAnswer())
  state.subscriptions.add(call)
  const gone = new Promise<void>((resolve) => {
    for (const event of ['cancelled', 'close', 'error'] as const) call.on(event, resolve)
  }).then(() => state.subscriptions.delete(call))
  let [next, live] = [source.first, false]
  while (state.subscriptions.has(call)) {
    if (state.faults.stallSubscriptions) return
    for (const records = source.records(); next < records.length; next++) {
      const record = records[next]
      if (record === undefined || !state.subscriptions.has(call)) return
      live &&= records.length - next <= LIVE_BUFFER
      if (matches(record) && !call.write(eventAnswer(record))) await drained(call)
    }
    const last = source.records()[next - 1]
    if (options.hasFilter() && last !== undefined) call.write(checkpointAnswer(last.position))
    if (!live) call.write(caughtUpAnswer())
    live = true
    if (next >= source.records().length) await Promise.race([committed(state), gone])
  }
}

const sourceOf = (state: ServerState, options: streams.ReadReq.Options): Source => {
  if (!options.hasAll()) {
    const stream = options.getStream()
    const name = streamName(stream?.getStreamIdentifier())
    const first =
      stream?.hasRevision() === true ? Number(stream.getRevision()) + 1 : stream?.hasEnd() === true ? state.log.stream(name).length : 0
    return { records: () => state.log.stream(name), first }
  }
  const all = options.getAll()
  const position = all?.getPosition()
  const first = position === undefined ? 0 : firstFrom(state.log.all, BigInt(position.getCommitPosition()) + 1n)
  return { records: () => state.log.all, first: all?.hasEnd() === true ? state.log.all.length : first }
}

const committed = ({ log }: ServerState): Promise<void> =>
  new Promise((resolve) => {
    const stop = log.onCommit(() => {
      stop()
      resolve()
    })
  })
