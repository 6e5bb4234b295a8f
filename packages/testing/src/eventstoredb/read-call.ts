import type { ServerWritableStream } from '@grpc/grpc-js'
import type { streams } from './protobuf.ts'

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>

/** A slow reader slows the server instead of filling its memory. */
export function drained(call: ReadCall): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done).off('cancelled', done)
      resolve()
    }
    call.on('drain', done).on('cancelled', done)
  })
}
