import type { handleUnaryCall } from '@grpc/grpc-js'
import type { Expected, Verdict } from './commit-check.ts'
import { elsewhere } from './leadership.ts'
import { type shared, streamName, streams } from './protobuf.ts'
import type { ServerState } from './server-state.ts'
import { streamDeleted, unavailable, wrongExpectedVersion } from './trailers.ts'
import { softDelete, tombstone } from './writer.ts'

type DeleteOptions = Readonly<{
  hasRevision: () => boolean
  getRevision: () => string
  hasNoStream: () => boolean
  hasStreamExists: () => boolean
  getStreamIdentifier: () => shared.StreamIdentifier | undefined
}>

export function deleteStream(state: ServerState): handleUnaryCall<streams.DeleteReq, streams.DeleteResp> {
  return (call, respond) => {
    const options = call.request.getOptions() ?? new streams.DeleteReq.Options()
    const stream = streamName(options.getStreamIdentifier())
    const error =
      elsewhere(state, call.metadata) ?? withoutMajority(state) ?? refusal(stream, softDelete(state.log, stream, expectedOf(options)))
    if (error !== undefined) return respond(error)
    const position = new streams.DeleteResp.Position()
    position.setCommitPosition(lastPosition(state))
    position.setPreparePosition(lastPosition(state))
    const response = new streams.DeleteResp()
    response.setPosition(position)
    respond(null, response)
  }
}

export function tombstoneStream(state: ServerState): handleUnaryCall<streams.TombstoneReq, streams.TombstoneResp> {
  return (call, respond) => {
    const options = call.request.getOptions() ?? new streams.TombstoneReq.Options()
    const stream = streamName(options.getStreamIdentifier())
    const error =
      elsewhere(state, call.metadata) ?? withoutMajority(state) ?? refusal(stream, tombstone(state.log, stream, expectedOf(options)))
    if (error !== undefined) return respond(error)
    const position = new streams.TombstoneResp.Position()
    position.setCommitPosition(lastPosition(state))
    position.setPreparePosition(lastPosition(state))
    const response = new streams.TombstoneResp()
    response.setPosition(position)
    respond(null, response)
  }
}

const expectedOf = (options: DeleteOptions): Expected => {
  if (options.hasRevision()) return Number(options.getRevision())
  if (options.hasNoStream()) return 'no_stream'
  return options.hasStreamExists() ? 'stream_exists' : 'any'
}

const withoutMajority = ({ tail }: ServerState): Error | undefined => (tail === undefined ? undefined : unavailable())

const refusal = (stream: string, verdict: Verdict): Error | undefined => {
  if (verdict.kind === 'deleted') return streamDeleted(stream)
  return verdict.kind === 'wrong' ? wrongExpectedVersion(stream, verdict.current) : undefined
}

const lastPosition = ({ log }: ServerState): string => String(log.all.at(-1)?.position ?? 0n)
