import { Metadata, type ServiceError, status } from '@grpc/grpc-js'

const fail = (code: status, details: string, trailers: Readonly<Record<string, string>> = {}): ServiceError => {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

/** `actual` is '' for a stream without events, as the server has it. */
export const wrongExpectedVersion = (stream: string, current: number): ServiceError =>
  fail(status.FAILED_PRECONDITION, 'Delete failed due to WrongExpectedVersion', {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': '0',
    'actual-version': current < 0 ? '' : String(current),
  })

export const streamDeleted = (stream: string): ServiceError =>
  fail(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, { exception: 'stream-deleted', 'stream-name': stream })

export const notLeader = (leader: Readonly<{ host: string; port: number }>): ServiceError =>
  fail(status.NOT_FOUND, `Leader info available, leader at ${leader.host}:${leader.port}`, {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': String(leader.port),
  })

export const NO_LEADER = 'No leader info available in response'

export const noLeader = (): ServiceError => fail(status.UNKNOWN, NO_LEADER)

export const unavailable = (details = 'Server Is Shutting Down'): ServiceError => fail(status.UNAVAILABLE, details)

export const invalidArgument = (details: string): ServiceError => fail(status.INVALID_ARGUMENT, details)
