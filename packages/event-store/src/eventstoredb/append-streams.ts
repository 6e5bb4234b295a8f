import type { AppendCall } from './append-call.ts'
import { type BatchStream, createBatchStream } from './batch-stream.ts'
import type { Connection, StreamsClient } from './connection.ts'

export type OpenStream = Readonly<{ stub: StreamsClient; stream: BatchStream }>

/** Owns the one append stream of the process: opens it at the first call, and again at the first call after it failed. */
export type AppendStreams = Readonly<{
  /** Rejects where no node can be found, and with LogWentBack. */
  opened: () => Promise<OpenStream>
  close: () => void
}>

type AppendStreamsOptions = Readonly<{
  connection: Connection
  check: Readonly<{ look: (stub?: StreamsClient, read?: AppendCall['read']) => Promise<void> }>
  /** Called for an answer without an attempt: it had timed out, or was never sent. */
  onUnmatched: () => void
}>

export function createAppendStreams({ connection, check, onUnmatched }: AppendStreamsOptions): AppendStreams {
  let current: Promise<OpenStream> | undefined
  const open = async (forget: () => void): Promise<OpenStream> => {
    const stub = await connection.streams()
    const call = await connection.appends(stub).catch((error) => {
      connection.failed(stub, error)
      throw error
    })
    const onEnd = (error: unknown): void => {
      connection.failed(stub, error)
      forget()
    }
    const stream = createBatchStream(call, { onUnmatched, onEnd })
    try {
      // The look goes over the connection of the stream, which ends with its server, so nothing is written to a log that was not checked.
      // Reads go over another connection, to which that server may be another one: an append stream makes no read trusted.
      await check.look(stub, call.read)
    } catch (error) {
      stream.close()
      throw error
    }
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
