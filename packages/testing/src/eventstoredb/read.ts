import { elsewhere } from './leadership.ts'
import { streamName, streams } from './protobuf.ts'
import { eventAnswer, notFoundAnswer } from './read-answers.ts'
import { drained, type ReadCall } from './read-call.ts'
import { selectRecords } from './selection.ts'
import type { ServerState } from './server-state.ts'
import { follow } from './subscription.ts'
import { streamDeleted } from './trailers.ts'

/** `Read`: reads and subscriptions are one call on this wire. */
export function read(state: ServerState) {
  return (call: ReadCall) => {
    const options = call.request.getOptions() ?? new streams.ReadReq.Options()
    const refusal = elsewhere(state, call.metadata)
    if (refusal !== undefined) return void call.emit('error', refusal)
    if (options.hasSubscription()) return void follow(state, call, options)
    state.calls.reads++
    const stream = streamName(options.getStream()?.getStreamIdentifier())
    if (!options.hasAll() && state.log.isTombstoned(stream)) return void call.emit('error', streamDeleted(stream))
    return void answer(state, call, options, stream)
  }
}

const answer = async (state: ServerState, call: ReadCall, options: streams.ReadReq.Options, stream: string): Promise<void> => {
  const records = selectRecords(state, options)
  if (records === undefined) call.write(notFoundAnswer(stream))
  for (const record of records ?? []) {
    if (call.cancelled) return
    if (!call.write(eventAnswer(record))) await drained(call)
  }
  call.end()
}
