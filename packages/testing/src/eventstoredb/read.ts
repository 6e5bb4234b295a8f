import type { ServerWritableStream } from '@grpc/grpc-js'
import { streamName, streams } from './protobuf.ts'
import { eventAnswer, notFoundAnswer } from './read-answers.ts'
import { selectRecords } from './selection.ts'
import type { ServerState } from './server-state.ts'
import { follow } from './subscription.ts'
import { streamDeleted } from './trailers.ts'

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>

/** `Read`: reads and subscriptions are one call on this wire. */
export const read = (state: ServerState) => (call: ReadCall) => {
  const options = call.request.getOptions() ?? new streams.ReadReq.Options()
  if (options.hasSubscription()) return void follow(state, call, options)
  const stream = streamName(options.getStream()?.getStreamIdentifier())
  if (!options.hasAll() && state.log.isTombstoned(stream)) return void call.emit('error', streamDeleted(stream))
  return void answer(state, call, options, stream)
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

/** A slow reader holds the server back instead of filling its memory. */
export const drained = (call: ReadCall): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done).off('cancelled', done)
      resolve()
    }
    call.on('drain', done).on('cancelled', done)
  })
