import { answerOutcome } from './answer-outcome.ts'
import { type BatchStream, createBatchStream } from './batch-stream.ts'
import { failureOutcome } from './call-failure.ts'
import type { Connection, StreamsClient } from './connection.ts'
import type { Outcome } from './outcome.ts'
import type { streams } from './protobuf.ts'
import { within } from './within.ts'

export type Attempts = Readonly<{
  /** Sends once and says what became of it, within `timeoutMs`. Never rejects. */
  attempt: (request: streams.BatchAppendReq, timeoutMs: number) => Promise<Outcome>
  /** Answers that nobody waited for: to attempts given up, and of servers gone mad. */
  strays: () => number
  close: () => void
}>

type Open = Readonly<{ stub: StreamsClient; stream: BatchStream }>

/**
 * Owns the one append stream of the process: opens it at the first append and after every failure; gives up one that has said nothing
 * for a whole attempt, and with the second such in a row the connection under it.
 */
export const createAttempts = (connection: Connection): Attempts => {
  let current: Promise<Open> | undefined
  let [strays, silences] = [0, 0]

  const open = async (forget: () => void): Promise<Open> => {
    const stub = await connection.streams()
    const call = stub.batchAppend(...connection.call('for ever'))
    call.on('error', (error) => void connection.failed(stub, error))
    return { stub, stream: createBatchStream(call, { onStray: () => (strays += 1), onEnd: forget }) }
  }
  const opened = (): Promise<Open> => {
    if (current !== undefined) return current
    const forget = (): void => {
      if (current === opening) current = undefined
    }
    const opening = open(forget)
    opening.catch(forget)
    current = opening
    return opening
  }
  const giveUp = async ({ stub, stream }: Open): Promise<void> => {
    if (!stream.isOpen()) return
    stream.close()
    silences += 1
    if (silences > 1) await connection.reconnect(stub)
  }
  const ask = async (open: Open, request: streams.BatchAppendReq, timeoutMs: number): Promise<Outcome> => {
    const reply = await open.stream.send(request, timeoutMs)
    if (reply.kind === 'failed') return failureOutcome(reply.error)
    if (reply.kind === 'silence') {
      if (reply.streamSilent) await giveUp(open)
      return { kind: 'unknown', reason: `EventStoreDB did not answer within ${Math.round(timeoutMs)} ms` }
    }
    silences = 0
    const outcome = answerOutcome(reply.answer, reply.elapsedMs)
    if (outcome.kind === 'unknown' && outcome.elsewhere === true) await connection.reconnect(open.stub)
    return outcome
  }

  return {
    attempt: async (request, timeoutMs) => {
      const until = performance.now() + timeoutMs
      try {
        const open = await within(timeoutMs, opened())
        return open === 'late'
          ? { kind: 'unknown', reason: `no EventStoreDB node was found within ${Math.round(timeoutMs)} ms` }
          : await ask(open, request, Math.max(1, until - performance.now()))
      } catch (error) {
        return failureOutcome(error)
      }
    },
    strays: () => strays,
    close: () => void current?.then(({ stream }) => stream.close()).catch(() => undefined),
  }
}
