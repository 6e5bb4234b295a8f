import type { ClientReadableStream } from '@grpc/grpc-js'
import { unlessAborted } from '@tidings/async'
import type { Connection } from './connection.ts'
import { type Delivery, decodeDelivery } from './decode-delivery.ts'
import type { streams } from './protobuf.ts'

const READ = '/event_store.client.streams.Streams/Read'

/** Gets each message as it arrives; while a promise that it returned is open, no more come and flow control holds the server back. */
type Take = (delivery: Delivery) => Promise<void> | undefined

type Following = Readonly<{ connection: Connection; request: streams.ReadReq; take: Take; signal: AbortSignal }>

/**
 * Runs a subscription until it ends or `take` throws; cancelled when the signal aborts. `connection.failed` gets its error. It calls for each
 * message, because the generators of a read cost 15 µs of CPU an event.
 */
export async function followCall({ connection, request, take, signal }: Following): Promise<void> {
  // Finding a node can take longer than the reader waits.
  const stub = await unlessAborted(connection.streams(), signal)
  if (stub === null || signal.aborted) return
  const serialize = (message: streams.ReadReq): Buffer => Buffer.from(message.serializeBinary())
  const call = stub.makeServerStreamRequest(READ, serialize, decodeDelivery, request, ...connection.call('no deadline'))
  const cancel = (): void => call.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await ended(call, take)
  } catch (error) {
    if (signal.aborted) return
    await connection.failed(stub, error)
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    call.cancel()
  }
}

/** Its listener for errors stays: cancelling emits one of its own. */
const ended = (call: ClientReadableStream<Delivery>, take: Take): Promise<void> =>
  new Promise((resolve, reject) => {
    call.on('data', (delivery: Delivery) => {
      try {
        const room = take(delivery)
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
