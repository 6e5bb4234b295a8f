import { type BatchStream, createBatchStream } from './batch-stream.ts'
import type { Connection, StreamsClient } from './connection.ts'
import type { LogCheck } from './log-check.ts'

export type OpenStream = Readonly<{ stub: StreamsClient; stream: BatchStream }>

/** Owns the one append stream of the process: opens it at the first call, and again at the first call after it failed. */
export type AppendStreams = Readonly<{
  /** Rejects where no node can be found, and with LogWentBack. */
  opened: () => Promise<OpenStream>
  close: () => void
}>

type Options = Readonly<{
  connection: Connection
  check: Pick<LogCheck, 'look' | 'trustWhileOpen'>
  /** Called for an answer without an attempt: it had timed out, or was never sent. */
  onUnmatched: () => void
}>

export function createAppendStreams({ connection, check, onUnmatched }: Options): AppendStreams {
  let current: Promise<OpenStream> | undefined
  const open = async (forget: () => void): Promise<OpenStream> => {
    const stub = await connection.streams()
    const call = await connection.appends(stub).catch((error) => {
      connection.failed(stub, error)
      throw error
    })
    let retract = (): void => undefined
    const onEnd = (error: unknown): void => {
      connection.failed(stub, error)
      retract()
      forget()
    }
    const stream = createBatchStream(call, { onUnmatched, onEnd })
    try {
      // The order matters: the stream ends with the server that it was opened on, so nothing is written to a log that was not checked.
      await check.look(stub)
    } catch (error) {
      stream.close()
      throw error
    }
    if (stream.isOpen()) retract = check.trustWhileOpen(stub)
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
