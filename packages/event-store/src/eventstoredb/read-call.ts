import type { ClientReadableStream } from '@grpc/grpc-js'
import { unlessAborted } from '@tidings/async'

import type { Connection } from './connection.ts'
import type { streams } from './protobuf.ts'

export type Responses = AsyncGenerator<streams.ReadResp, void, undefined>

/** Runs a read or a subscription; the call is cancelled when the reader stops, and `connection.failed` gets its error. */
export async function* readCall(connection: Connection, request: streams.ReadReq, signal: AbortSignal): Responses {
  // Finding a node can take longer than the reader's timeout.
  const stub = await unlessAborted(connection.streams(), signal)
  if (stub === null || signal.aborted) return
  const call = stub.read(request, ...connection.call('no deadline'))
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
    // Cancelling emits an error of its own.
    call.on('error', () => undefined)
    call.cancel()
  }
}

const responses = (call: ClientReadableStream<streams.ReadResp>): AsyncIterable<streams.ReadResp> => call
