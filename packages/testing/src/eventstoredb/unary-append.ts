import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js'
import type { Expected } from './commit-check.ts'
import type { Proposed } from './log.ts'
import { shared, streamName, streams } from './protobuf.ts'
import type { ServerState } from './server-state.ts'
import { streamDeleted, unavailable } from './trailers.ts'
import { append } from './writer.ts'

type Call = ServerReadableStream<streams.AppendReq, streams.AppendResp>

/** `Append`, which the client takes with credentials of its own or against servers before 21.10. */
export function unaryAppend(state: ServerState) {
  return (call: Call, respond: sendUnaryData<streams.AppendResp>) => {
    state.calls.unaryAppends += 1
    let options = new streams.AppendReq.Options()
    const events: Proposed[] = []
    call.on('data', (part: streams.AppendReq) => {
      options = part.getOptions() ?? options
      const event = part.getProposedMessage()
      if (event !== undefined) events.push(proposed(event))
    })
    call.on('end', () => {
      const stream = streamName(options.getStreamIdentifier())
      if (state.tail !== undefined) return respond(unavailable())
      const written = append(state.log, stream, expectedOf(options), events)
      if (written.kind === 'deleted') return respond(streamDeleted(stream))
      respond(null, written.kind === 'wrong' ? wrong(written.current) : success(written.revision, written.position ?? 0n))
    })
  }
}

const proposed = (event: streams.AppendReq.ProposedMessage): Proposed => ({
  id: event.getId()?.getString() ?? '',
  type: event.getMetadataMap().get('type') ?? '',
  contentType: event.getMetadataMap().get('content-type') ?? '',
  data: event.getData_asU8(),
  metadata: event.getCustomMetadata_asU8(),
})

const expectedOf = (options: streams.AppendReq.Options): Expected => {
  if (options.hasRevision()) return Number(options.getRevision())
  if (options.hasNoStream()) return 'no_stream'
  return options.hasStreamExists() ? 'stream_exists' : 'any'
}

const success = (revision: number, position: bigint): streams.AppendResp => {
  const place = new streams.AppendResp.Position()
  place.setCommitPosition(String(position))
  place.setPreparePosition(String(position))
  const answer = new streams.AppendResp.Success()
  answer.setCurrentRevision(String(revision))
  answer.setPosition(place)
  const response = new streams.AppendResp()
  response.setSuccess(answer)
  return response
}

const wrong = (current: number): streams.AppendResp => {
  const answer = new streams.AppendResp.WrongExpectedVersion()
  if (current < 0) answer.setCurrentNoStream(new shared.Empty())
  else answer.setCurrentRevision(String(current))
  const response = new streams.AppendResp()
  response.setWrongExpectedVersion(answer)
  return response
}
