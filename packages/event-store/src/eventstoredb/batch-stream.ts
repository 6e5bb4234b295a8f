import type { AppendCall } from './append-call.ts'
import type { AppendAnswer } from './decode-answer.ts'
import type { AppendRequest } from './encode-append.ts'

/** It never rejects, so that an attempt that timed out leaves no unhandled rejection. */
type Reply =
  | Readonly<{ kind: 'answer'; answer: AppendAnswer; elapsedMs: number }>
  /** `streamSilent`: nothing was heard on the stream meanwhile, or the append never left: what follows it would wait behind it. */
  | Readonly<{ kind: 'silence'; streamSilent: boolean }>
  /** `isAlone`: the call carried nothing else that could have failed it. */
  | Readonly<{ kind: 'failed'; error: unknown; isAlone: boolean }>

/**
 * One BatchAppend call with its own correlation map. Open until it fails, ends or is closed; then every attempt on it is answered
 * `failed`, later ones at once, and the owner opens another.
 */
export type BatchStream = Readonly<{
  send: (request: AppendRequest, timeoutMs: number) => Promise<Reply>
  isOpen: () => boolean
  close: () => void
}>

type Attempt = Readonly<{ sentAt: number; settle: (reply: Reply) => void }>

type Listeners = Readonly<{ onUnmatched: () => void; onEnd: (error: unknown) => void }>
type BatchStreamState = { readonly attempts: Map<string, Attempt>; hasGivenUp: boolean; ended: Reply | undefined; heardAt: number }

export function createBatchStream(call: AppendCall, { onUnmatched, onEnd }: Listeners): BatchStream {
  const state: BatchStreamState = { attempts: new Map(), hasGivenUp: false, ended: undefined, heardAt: 0 }
  const end = (error: unknown): void => {
    if (state.ended !== undefined) return
    state.ended = { kind: 'failed', error, isAlone: false }
    onEnd(error)
    const isAlone = state.attempts.size === 1 && !state.hasGivenUp
    for (const attempt of state.attempts.values()) attempt.settle({ kind: 'failed', error, isAlone })
    state.attempts.clear()
  }
  const close = (error: Error): void => {
    end(error)
    call.cancel()
  }
  const isOpen = (): boolean => state.ended === undefined
  call.listen({ onAnswer: (answer) => hear(state, answer, onUnmatched), onEnd: end })
  return {
    send: (request, timeoutMs) => (state.ended === undefined ? send({ call, state }, request, timeoutMs) : Promise.resolve(state.ended)),
    isOpen,
    close: () => close(new Error('the append stream was closed')),
  }
}

const hear = (state: BatchStreamState, answer: AppendAnswer, onUnmatched: () => void): void => {
  state.heardAt = performance.now()
  const attempt = state.attempts.get(answer.id)
  state.attempts.delete(answer.id)
  if (attempt === undefined) onUnmatched()
  else attempt.settle({ kind: 'answer', answer, elapsedMs: state.heardAt - attempt.sentAt })
}

type Sending = Readonly<{ call: AppendCall; state: BatchStreamState }>

const send = ({ call, state }: Sending, { id, message }: AppendRequest, timeoutMs: number): Promise<Reply> =>
  new Promise((resolve) => {
    const sentAt = performance.now()
    const timer = setTimeout(() => {
      state.attempts.delete(id)
      state.hasGivenUp = true
      resolve({ kind: 'silence', streamSilent: state.heardAt < sentAt || call.leftAt() < sentAt })
    }, timeoutMs)
    const settle = (reply: Reply): void => {
      clearTimeout(timer)
      resolve(reply)
    }
    state.attempts.set(id, { sentAt, settle })
    call.write(message)
  })
