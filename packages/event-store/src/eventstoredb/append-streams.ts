import { type BatchStream, createBatchStream } from './batch-stream.ts'
import type { Connection, StreamsClient } from './connection.ts'

export type OpenStream = Readonly<{ stub: StreamsClient; stream: BatchStream }>

/** Owns the one append stream of the process: opens it for the first who asks, and again for the first who asks after it failed. */
export type AppendStreams = Readonly<{
  /** Rejects where no node can be found. */
  opened: () => Promise<OpenStream>
  close: () => void
}>

/** `onStray` hears of answers that nobody waits for: to attempts given up, and of servers gone mad. */
export const createAppendStreams = (connection: Connection, onStray: () => void): AppendStreams => {
  let current: Promise<OpenStream> | undefined
  const open = async (forget: () => void): Promise<OpenStream> => {
    const stub = await connection.streams()
    const call = stub.batchAppend(...connection.call('for ever'))
    call.on('error', (error) => void connection.failed(stub, error))
    return { stub, stream: createBatchStream(call, { onStray, onEnd: forget }) }
  }
  return {
    opened: () => {
      if (current !== undefined) return current
      const forget = (): void => {
        if (current === opening) current = undefined
      }
      const opening = open(forget)
      opening.catch(forget)
      current = opening
      return opening
    },
    close: () => void current?.then(({ stream }) => stream.close()).catch(() => undefined),
  }
}
