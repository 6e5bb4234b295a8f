import { Metadata, type ServiceError, status } from '@grpc/grpc-js'

const fail = (code: status, details: string, trailers: Readonly<Record<string, string>> = {}): ServiceError => {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

/** `actual` is '' for a stream without events, as the server has it. */
export function wrongExpectedVersion(stream: string, current: number): ServiceError {
  return fail(status.FAILED_PRECONDITION, 'Delete failed due to WrongExpectedVersion', {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': '0',
    'actual-version': current < 0 ? '' : String(current),
  })
}

export function streamDeleted(stream: string): ServiceError {
  return fail(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, { exception: 'stream-deleted', 'stream-name': stream })
}

export function notLeader(leader: Readonly<{ host: string; port: number }>): ServiceError {
  return fail(status.NOT_FOUND, `Leader info available, leader at ${leader.host}:${leader.port}`, {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': String(leader.port),
  })
}

export const NO_LEADER = 'No leader info available in response'

export function noLeader(): ServiceError {
  return fail(status.UNKNOWN, NO_LEADER)
}

export function unavailable(details = 'Server Is Shutting Down'): ServiceError {
  return fail(status.UNAVAILABLE, details)
}

export function invalidArgument(details: string): ServiceError {
  return fail(status.INVALID_ARGUMENT, details)
}
