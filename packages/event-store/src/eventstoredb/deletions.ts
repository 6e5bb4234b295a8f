import type { ServiceError } from '@grpc/grpc-js'
import { checkStreamCall } from '../append-rules.ts'
import { StreamDeleted, Unavailable, WrongExpectedRevision } from '../errors.ts'
import type { ExpectedRevision } from '../port.ts'
import type { AppendCall } from './append-call.ts'
import { failureOutcome } from './call-failure.ts'
import type { Connection, StreamsClient } from './connection.ts'
import { shared, streamIdentifier, streams } from './protobuf.ts'

export type Deletions = Readonly<{
  deleteStream: (stream: string, expected: ExpectedRevision) => Promise<void>
  tombstoneStream: (stream: string, expected: ExpectedRevision) => Promise<void>
}>

const DEADLINE_MS = 5_000

/** Asked once: a repeated deletion could hide events that came between. Unavailable leaves the outcome unknown. */
export function createDeletions(
  connection: Connection,
  check: Readonly<{ look: (stub?: StreamsClient, read?: AppendCall['read']) => Promise<void> }>,
): Deletions {
  const run = async (stream: string, call: Unary): Promise<void> => {
    let stub: StreamsClient | undefined
    try {
      await check.look()
      const found = await connection.streams()
      stub = found
      await new Promise<void>((resolve, reject) => call(found, (error) => (error === null ? resolve() : reject(error))))
    } catch (error) {
      if (stub !== undefined) connection.failed(stub, error)
      throw deletionError(stream, error)
    }
  }
  return {
    deleteStream: async (stream, expected) => {
      checkStreamCall(stream, expected)
      const request = new streams.DeleteReq()
      request.setOptions(expecting(new streams.DeleteReq.Options(), stream, expected))
      await run(stream, (stub, done) => stub.delete(request, ...connection.call(DEADLINE_MS), done))
    },
    tombstoneStream: async (stream, expected) => {
      checkStreamCall(stream, expected)
      const request = new streams.TombstoneReq()
      request.setOptions(expecting(new streams.TombstoneReq.Options(), stream, expected))
      await run(stream, (stub, done) => stub.tombstone(request, ...connection.call(DEADLINE_MS), done))
    },
  }
}

type Unary = (stub: StreamsClient, done: (error: ServiceError | null) => void) => void
type DeletionOptions = streams.DeleteReq.Options | streams.TombstoneReq.Options

const expecting = <T extends DeletionOptions>(options: T, stream: string, expected: ExpectedRevision): T => {
  options.setStreamIdentifier(streamIdentifier(stream))
  if (expected === 'any') options.setAny(new shared.Empty())
  else if (expected === 'no_stream') options.setNoStream(new shared.Empty())
  else if (expected === 'stream_exists') options.setStreamExists(new shared.Empty())
  else options.setRevision(String(expected))
  return options
}

const deletionError = (stream: string, error: unknown): Error => {
  const outcome = failureOutcome(error)
  if (outcome.kind === 'wrong_revision') return new WrongExpectedRevision(stream, outcome.current)
  if (outcome.kind === 'deleted') return new StreamDeleted(`stream ${stream} is tombstoned`)
  return new Unavailable('reason' in outcome ? outcome.reason : `deleting ${stream} failed`, { cause: error })
}
