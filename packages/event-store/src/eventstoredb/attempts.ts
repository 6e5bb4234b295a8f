import pTimeout from 'p-timeout'
import { answerOutcome } from './answer-outcome.ts'
import type { AppendStreams, OpenStream } from './append-streams.ts'
import { appendFailure, failureOutcome } from './call-failure.ts'
import type { Connection } from './connection.ts'
import type { AppendRequest } from './encode-append.ts'
import type { AppendOutcome } from './outcome.ts'
import { streams } from './protobuf.ts'

/** Sends once and says what became of it, within `timeoutMs`. Never rejects. */
export type Attempt = (request: AppendRequest, timeoutMs: number) => Promise<AppendOutcome>

/** Gives up an append stream that has said nothing for a whole attempt, and with the second such in a row the connection under it. */
export function createAttempt(connection: Connection, { opened }: AppendStreams): Attempt {
  let silences = 0
  const giveUp = ({ stub, stream }: OpenStream): void => {
    if (!stream.isOpen()) return
    stream.close()
    silences += 1
    if (silences > 1) connection.reconnect(stub)
  }
  /** Closing a channel leaves its open streams where they are: a read that moved to another node would not move the appends. */
  const leave = ({ stub, stream }: OpenStream): void => {
    stream.close()
    connection.reconnect(stub)
  }
  const ask = async (open: OpenStream, request: AppendRequest, timeoutMs: number): Promise<AppendOutcome> => {
    const reply = await open.stream.send(request, timeoutMs)
    if (reply.kind === 'failed') return reply.isAlone ? appendFailure(reply.error) : sharedOutcome(reply.error)
    if (reply.kind === 'silence') {
      if (reply.streamSilent) giveUp(open)
      return { kind: 'unknown', reason: `EventStoreDB did not answer within ${Math.round(timeoutMs)} ms` }
    }
    silences = 0
    const { written, bytes } = reply.answer
    const outcome = written ?? answerOutcome(streams.BatchAppendResp.deserializeBinary(bytes), reply.elapsedMs)
    if (outcome.kind === 'unknown' && outcome.elsewhere === true) leave(open)
    return outcome
  }
  return async (request, timeoutMs) => {
    const until = performance.now() + timeoutMs
    try {
      const open = await pTimeout(opened(), { milliseconds: timeoutMs, fallback: () => 'late' as const })
      if (open !== 'late') return await ask(open, request, Math.max(1, until - performance.now()))
      return { kind: 'unknown', reason: `no EventStoreDB node was found within ${Math.round(timeoutMs)} ms` }
    } catch (error) {
      return failureOutcome(error)
    }
  }
}

/** A call that failed for several appends decides nothing about any of them. */
const sharedOutcome = (error: unknown): AppendOutcome => {
  const outcome = appendFailure(error)
  if (outcome.kind === 'unknown' || outcome.kind === 'denied') return outcome
  return { kind: 'unknown', reason: 'reason' in outcome ? outcome.reason : 'an append beside it failed', alone: true }
}
