import type { ClientReadableStream } from '@grpc/grpc-js'
import { unlessAborted } from '@tidings/async'
import type { Connection } from './connection.ts'
import { decodeRead, type ReadAnswer } from './decode-read.ts'
import type { streams } from './protobuf.ts'

const READ = '/event_store.client.streams.Streams/Read'

/** Gets each message as it arrives; while a promise that it returned is open, no more come and flow control slows the server. */
type Take = (answer: ReadAnswer) => Promise<void> | undefined

type Reading = Readonly<{ connection: Connection; request: streams.ReadReq; take: Take; signal: AbortSignal }>

/**
 * Runs a read or a subscription until it ends or `take` throws; cancelled when the signal aborts. `connection.failed` gets its error. It calls for
 * each message: two generators around the call cost 15 µs of CPU an event.
 */
export async function readCall({ connection, request, take, signal }: Reading): Promise<void> {
  // Finding a node can take longer than the reader's timeout.
  const stub = await unlessAborted(connection.streams(), signal)
  if (stub === null || signal.aborted) return
  const serialize = (message: streams.ReadReq): Buffer => Buffer.from(message.serializeBinary())
  const call = stub.makeServerStreamRequest(READ, serialize, decodeRead, request, ...connection.call('no deadline'))
  const cancel = (): void => call.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await ended(call, take)
  } catch (error) {
    if (signal.aborted) return
    connection.failed(stub, error)
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    call.cancel()
  }
}

/** Its listener for errors stays: cancelling emits one of its own. */
const ended = (call: ClientReadableStream<ReadAnswer>, take: Take): Promise<void> =>
  new Promise((resolve, reject) => {
    call.on('data', (answer: ReadAnswer) => {
      try {
        const room = take(answer)
        if (room === undefined) return
        call.pause()
        void room.then(() => call.resume())
      } catch (error) {
        reject(error)
        call.cancel()
      }
    })
    call.on('error', reject)
    call.on('end', resolve)
  })
