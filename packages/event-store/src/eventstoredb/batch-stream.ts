import type { ClientDuplexStream } from '@grpc/grpc-js'
import { type streams, uuid } from './protobuf.ts'

/** Never a rejection, so that an attempt that timed out leaves no unhandled rejection. */
type Reply =
  | Readonly<{ kind: 'answer'; answer: streams.BatchAppendResp; elapsedMs: number }>
  | Readonly<{ kind: 'silence'; streamSilent: boolean }>
  /** `isAlone`: the call carried nothing else that could have failed it. */
  | Readonly<{ kind: 'failed'; error: unknown; isAlone: boolean }>

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

type Listeners = Readonly<{ onUnmatched: () => void; onEnd: () => void }>
type State = { readonly attempts: Map<string, Attempt>; hasGivenUp: boolean; ended: Reply | undefined; heardAt: number }

export function createBatchStream(call: Call, { onUnmatched, onEnd }: Listeners): BatchStream {
  const state: State = { attempts: new Map(), hasGivenUp: false, ended: undefined, heardAt: 0 }
  const end = (error: unknown): void => {
    if (state.ended !== undefined) return
    state.ended = { kind: 'failed', error, isAlone: false }
    onEnd()
    const isAlone = state.attempts.size === 1 && !state.hasGivenUp
    for (const attempt of state.attempts.values()) attempt.settle({ kind: 'failed', error, isAlone })
    state.attempts.clear()
  }
  call.on('data', (answer: streams.BatchAppendResp) => hear(state, answer, onUnmatched))
  call.on('error', end)
  call.on('end', () => end(new Error('EventStoreDB ended the append stream')))
  return {
    send: (request, timeoutMs) => (state.ended === undefined ? send({ call, state }, request, timeoutMs) : Promise.resolve(state.ended)),
    isOpen: () => state.ended === undefined,
    close: () => {
      end(new Error('the append stream was closed'))
      call.cancel()
    },
  }
}

const hear = (state: State, answer: streams.BatchAppendResp, onUnmatched: () => void): void => {
  state.heardAt = performance.now()
  const id = answer.getCorrelationId()?.getString() ?? ''
  const attempt = state.attempts.get(id)
  state.attempts.delete(id)
  if (attempt === undefined) onUnmatched()
  else attempt.settle({ kind: 'answer', answer, elapsedMs: state.heardAt - attempt.sentAt })
}

type Sending = Readonly<{ call: Call; state: State }>

const send = ({ call, state }: Sending, request: streams.BatchAppendReq, timeoutMs: number): Promise<Reply> => {
  const id = crypto.randomUUID()
  request.setCorrelationId(uuid(id))
  return new Promise((resolve) => {
    const sentAt = performance.now()
    const timer = setTimeout(() => {
      state.attempts.delete(id)
      state.hasGivenUp = true
      resolve({ kind: 'silence', streamSilent: state.heardAt < sentAt })
    }, timeoutMs)
    const settle = (reply: Reply): void => {
      clearTimeout(timer)
      resolve(reply)
    }
    state.attempts.set(id, { sentAt, settle })
    call.write(request)
  })
}
