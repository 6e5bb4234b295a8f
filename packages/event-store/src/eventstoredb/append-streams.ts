import { type BatchStream, createBatchStream } from './batch-stream.ts'
import type { Connection, StreamsClient } from './connection.ts'
import type { LogCheck } from './log-check.ts'

export type OpenStream = Readonly<{ stub: StreamsClient; stream: BatchStream }>

/** Owns the one append stream of the process: opens it for the first who asks, and again for the first who asks after it failed. */
export type AppendStreams = Readonly<{
  /** Rejects where no node can be found, and with LogWentBack. */
  opened: () => Promise<OpenStream>
  close: () => void
}>

type Options = Readonly<{
  connection: Connection
  check: Pick<LogCheck, 'look' | 'vouch'>
  /** Hears of answers that nobody waits for: to attempts given up, and of servers gone mad. */
  onStray: () => void
}>

export const createAppendStreams = ({ connection, check, onStray }: Options): AppendStreams => {
  let current: Promise<OpenStream> | undefined
  const open = async (forget: () => void): Promise<OpenStream> => {
    const stub = await connection.streams()
    const call = stub.batchAppend(...connection.call('for ever'))
    call.on('error', (error) => void connection.failed(stub, error))
    let retract = (): void => undefined
    const onEnd = (): void => {
      retract()
      forget()
    }
    const stream = createBatchStream(call, { onStray, onEnd })
    try {
      // In this order: the stream ends with the server that it was opened on, so nothing can go to a log that was not looked at.
      await check.look(stub)
    } catch (error) {
      stream.close()
      throw error
    }
    if (stream.isOpen()) retract = check.vouch(stub)
    return { stub, stream }
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
