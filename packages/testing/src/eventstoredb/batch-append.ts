import type { ServerDuplexStream } from '@grpc/grpc-js'
import {
  accessDeniedStatus,
  badRequestStatus,
  errorAnswer,
  notHandledStatus,
  refusalStatus,
  statusOf,
  successAnswer,
  timeoutStatus,
  tooLargeStatus,
} from './append-answers.ts'
import type { Expected } from './commit-check.ts'
import type { Proposed } from './log.ts'
import { type shared, type status, streamName, type streams, uuid } from './protobuf.ts'
import type { ServerState } from './server-state.ts'
import { invalidArgument, NO_LEADER, notLeader } from './trailers.ts'
import { append } from './writer.ts'

type Call = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>
type Request = Readonly<{
  correlation: shared.UUID | undefined
  stream: string
  expected: Expected
  events: Proposed[]
  size: { bytes: number }
}>

/** `BatchAppend`: requests in parts, held together by their correlation id until one is final; each answered on its own. */
export function batchAppend(state: ServerState) {
  return (call: Call) => {
    const pending = new Map<string, Request>()
    call.on('end', () => call.end())
    let failed = false
    call.on('data', (part: streams.BatchAppendReq) => {
      state.calls.batchAppends += 1
      failed ||= isInvalid(state, call, part)
      if (failed) return
      const answer = receive(state, pending, part)
      if (answer !== undefined) deliver(state, call, answer)
    })
  }
}

const isInvalid = ({ faults }: ServerState, call: Call, part: streams.BatchAppendReq): boolean => {
  const stream = streamName(part.getOptions()?.getStreamIdentifier())
  if (faults.invalidStream === undefined || stream !== faults.invalidStream) return false
  call.emit('error', invalidArgument(`${stream} is not a stream`))
  return true
}

type Answer = Readonly<{ request: Request } | { refusal: streams.BatchAppendResp }>

/** Undefined while more parts are to come, and for parts of a request that was refused already. */
const receive = (state: ServerState, pending: Map<string, Request>, part: streams.BatchAppendReq): Answer | undefined => {
  const correlation = part.getCorrelationId()
  const id = correlation?.getString() ?? ''
  const options = part.getOptions()
  if (options !== undefined) {
    const request = open(correlation, options)
    const refusal = refuse(state, request.stream, options)
    if (refusal !== undefined) return { refusal: errorAnswer(correlation, request.stream, refusal) }
    pending.set(id, request)
  }
  const request = pending.get(id)
  if (request === undefined) return undefined
  for (const event of part.getProposedMessagesList()) add(request, event)
  if (request.size.bytes > state.maxAppendSize) {
    pending.delete(id)
    return { refusal: errorAnswer(correlation, request.stream, tooLargeStatus(state.maxAppendSize)) }
  }
  if (!part.getIsFinal()) return undefined
  pending.delete(id)
  return { request }
}

const open = (correlation: shared.UUID | undefined, options: streams.BatchAppendReq.Options): Request => ({
  correlation,
  stream: streamName(options.getStreamIdentifier()),
  expected: options.hasStreamPosition()
    ? Number(options.getStreamPosition())
    : options.hasNoStream()
      ? 'no_stream'
      : options.hasStreamExists()
        ? 'stream_exists'
        : 'any',
  events: [],
  size: { bytes: 0 },
})

const refuse = (state: ServerState, stream: string, options: streams.BatchAppendReq.Options): status.Status | undefined => {
  if (stream === '') return badRequestStatus('Required field StreamIdentifier not set.')
  if (stream.startsWith('$') && !stream.startsWith('$$')) return accessDeniedStatus()
  const deadline = options.getDeadline()
  return deadline !== undefined && deadline.getSeconds() * 1000 <= state.now() - 1000 ? timeoutStatus() : undefined
}

const add = (request: Request, event: streams.BatchAppendReq.ProposedMessage): void => {
  const metadata = event.getMetadataMap()
  const type = metadata.get('type') ?? ''
  const [data, custom] = [event.getData_asU8(), event.getCustomMetadata_asU8()]
  request.size.bytes += data.length + custom.length + 2 * type.length
  const contentType = metadata.get('content-type') ?? 'application/octet-stream'
  request.events.push({ id: event.getId()?.getString() ?? '', type, contentType, data, metadata: custom })
}

const deliver = (state: ServerState, call: Call, answer: Answer): void => {
  const { faults } = state
  if (faults.notLeader !== undefined) {
    call.emit('error', notLeader(faults.notLeader))
    return
  }
  if (faults.unknownCorrelation) call.write(successAnswer(uuid(crypto.randomUUID()), 0, 0n))
  if (faults.swallowAppends) return
  const respond = (response: streams.BatchAppendResp): void => {
    if (faults.dropAfterAppend) state.dropConnections()
    else if (!faults.swallowAnswers) write(call, response, faults.answerDelayMs)
  }
  if ('refusal' in answer) respond(answer.refusal)
  else decide(state, answer.request, respond)
}

/** Answers a request, or keeps it in the tail of a node that has no majority. */
const decide = (state: ServerState, request: Request, respond: (response: streams.BatchAppendResp) => void): void => {
  const { correlation, stream, expected } = request
  const settle = () => respond(answerTo(state, request))
  // One that knows no leader refuses it.
  const held = state.faults.noLeader ? undefined : state.tail?.hold(request, settle)
  if (held === undefined) settle()
  else if (held.kind !== 'written') respond(errorAnswer(correlation, stream, refusalStatus(stream, expected, held)))
}

const write = (call: Call, response: streams.BatchAppendResp, delayMs: number): void => {
  if (delayMs > 0) setTimeout(() => call.writable && call.write(response), delayMs)
  else if (call.writable) call.write(response)
}

const answerTo = (state: ServerState, request: Request): streams.BatchAppendResp => {
  const { correlation, stream, expected, events } = request
  const status = faultyStatus(state)
  if (status !== undefined) return errorAnswer(correlation, stream, status)
  const written = append(state.log, stream, expected, events)
  if (written.kind !== 'written') return errorAnswer(correlation, stream, refusalStatus(stream, expected, written))
  return successAnswer(correlation, written.revision, written.position)
}

const faultyStatus = ({ faults }: ServerState): status.Status | undefined => {
  if (faults.errorWithoutDetails) return statusOf('Something Failed')
  if (faults.serverBusy) return notHandledStatus('Server Is Busy')
  if (faults.noLeader) return notHandledStatus(NO_LEADER)
  return faults.unknownStatus === undefined ? undefined : statusOf('Something New', faults.unknownStatus)
}
