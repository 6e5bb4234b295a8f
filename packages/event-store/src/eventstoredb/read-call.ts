import type { ClientReadableStream } from '@grpc/grpc-js'
import { unlessAborted } from '@tidings/async'

import type { Connection } from './connection.ts'
import type { streams } from './protobuf.ts'

export type Responses = AsyncGenerator<streams.ReadResp, void, undefined>

/** Runs a read or a subscription; the call is cancelled when the reader stops, and the connection is told how it failed. */
export async function* readCall(connection: Connection, request: streams.ReadReq, signal: AbortSignal): Responses {
  // Looking for a node can outlast every patience of the reader's.
  const stub = await unlessAborted(connection.streams(), signal)
  if (stub === null || signal.aborted) return
  const call = stub.read(request, ...connection.call('for ever'))
  const cancel = (): void => call.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    yield* responses(call)
  } catch (error) {
    if (signal.aborted) return
    await connection.failed(stub, error)
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    // Cancelling answers with an error of its own, which nobody waits for any more.
    call.on('error', () => undefined)
    call.cancel()
  }
}

const responses = (call: ClientReadableStream<streams.ReadResp>): AsyncIterable<streams.ReadResp> => call
