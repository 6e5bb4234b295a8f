import type { Metadata } from '@grpc/grpc-js'
import type { ServerState } from './server-state.ts'
import { noLeader, notLeader } from './trailers.ts'

/** What a node that does not lead answers to a call that asks for the leader; undefined where it serves the call. */
export function elsewhere({ faults }: ServerState, metadata: Metadata): Error | undefined {
  if (metadata.get('requires-leader')[0] !== 'true') return undefined
  if (faults.notLeader !== undefined) return notLeader(faults.notLeader)
  return faults.noLeader ? noLeader() : undefined
}
