import type { ClientDuplexStream } from '@grpc/grpc-js'
import { type streams, uuid } from './protobuf.ts'

/** Never a rejection: whoever stopped waiting for an attempt leaves nothing behind that Node would call unhandled. */
export type Reply =
  | Readonly<{ kind: 'answer'; answer: streams.BatchAppendResp; elapsedMs: number }>
  | Readonly<{ kind: 'silence'; streamSilent: boolean }>
  | Readonly<{ kind: 'failed'; error: unknown }>

/**
 * One BatchAppend call with its own correlation map. Open until it fails, ends or is closed; then every attempt on it is answered
 * `failed`, later ones at once, and the owner opens another.
 */
export type BatchStream = Readonly<{
  send: (request: streams.BatchAppendReq, timeoutMs: number) => Promise<Reply>
  isOpen: () => boolean
  close: () => void
}>

type Call = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>
type Attempt = Readonly<{ sentAt: number; settle: (reply: Reply) => void }>

type Listeners = Readonly<{ onStray: () => void; onEnd: () => void }>

export const createBatchStream = (call: Call, { onStray, onEnd }: Listeners): BatchStream => {
  const attempts = new Map<string, Attempt>()
  let ended: Reply | undefined
  let heardAt = 0

  const end = (error: unknown): void => {
    if (ended !== undefined) return
    ended = { kind: 'failed', error }
    onEnd()
    for (const attempt of attempts.values()) attempt.settle(ended)
    attempts.clear()
  }
  call.on('data', (answer: streams.BatchAppendResp) => {
    heardAt = performance.now()
    const id = answer.getCorrelationId()?.getString() ?? ''
    const attempt = attempts.get(id)
    if (attempt === undefined) return onStray()
    attempts.delete(id)
    attempt.settle({ kind: 'answer', answer, elapsedMs: heardAt - attempt.sentAt })
  })
  call.on('error', end)
  call.on('end', () => end(new Error('EventStoreDB ended the append stream')))

  const send = (request: streams.BatchAppendReq, timeoutMs: number): Promise<Reply> => {
    if (ended !== undefined) return Promise.resolve(ended)
    const id = crypto.randomUUID()
    request.setCorrelationId(uuid(id))
    return new Promise((resolve) => {
      const sentAt = performance.now()
      const timer = setTimeout(() => {
        attempts.delete(id)
        resolve({ kind: 'silence', streamSilent: heardAt < sentAt })
      }, timeoutMs)
      const settle = (reply: Reply): void => {
        clearTimeout(timer)
        resolve(reply)
      }
      attempts.set(id, { sentAt, settle })
      call.write(request)
    })
  }
  const close = (): void => {
    end(new Error('the append stream was closed'))
    call.cancel()
  }
  return { send, isOpen: () => ended === undefined, close }
}
