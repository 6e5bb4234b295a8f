import type { AppendContext } from '@tidings/codec'
import { isOutage } from '@tidings/commands'
import { bucketOf, type ContactId, type ListId, type MembersCommand, members, membersStream } from '@tidings/domain'
import { LogWentBack, type Position } from '@tidings/event-store'
import type { FastifyReply } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { waitForAll } from '../wait-for-all.ts'
import type { NamedMembers } from './resolve-members.ts'

type Deps = Pick<Dependencies, 'commands' | 'writtenBy' | 'memberCounts' | 'readSide' | 'logHead'>
type Change = Readonly<{ context: AppendContext; type: MembersCommand['type']; listId: ListId; named: NamedMembers }>

/** `changed`: contacts that this call added or removed; `count`: all members after it. */
type Changed = Readonly<{ changed: number; count: number }>

const byBucket = (contactIds: readonly ContactId[]): ReadonlyMap<string, readonly ContactId[]> => Map.groupBy(contactIds, bucketOf)

type Written = Readonly<{ changed: number; position: Position | null }>

const changeBucket = async (
  { commands, writtenBy }: Deps,
  { context, type, listId }: Change,
  [bucket, contactIds]: readonly [string, readonly ContactId[]],
): Promise<Written> => {
  const stream = membersStream(context.workspaceId, listId, bucket)
  const command: MembersCommand = { type, data: { listId, contactIds } }
  const { events, position } = await commands.execute({ decider: members, stream, command, context })
  // A position without events: this command ran before, and its answer was lost.
  const isRepeated = events.length === 0 && position !== null
  return { changed: isRepeated ? await writtenBy(stream, context) : events.length, position }
}

/**
 * The total of the read side, corrected by the contacts of this call that it does not show yet: another call may have added the same
 * contacts a moment ago, or the wait may have been too short. The number is exact for this call and every answered one before it,
 * whatever runs concurrently.
 */
const countAfter = async (deps: Deps, { context, type, listId, named: { contactIds } }: Change): Promise<number> => {
  const { total, among } = await deps.memberCounts({ workspaceId: context.workspaceId, listId, contactIds })
  return type === 'AddMembers' ? total + contactIds.length - among : total - among
}

/** A log that went back holds other lists than those that are shown: that is refused. */
const nullWhereUnavailable = (error: unknown): null => {
  if (error instanceof LogWentBack || !isOutage(error)) throw error
  return null
}

/** If the log does not say where it ends, the answer says that reads may be behind. */
const waitForEnd = async (deps: Deps, reply: FastifyReply, projections: readonly string[]): Promise<void> => {
  const end = await deps.logHead().catch(nullWhereUnavailable)
  if (end === null) reply.header('X-Consistency', 'pending')
  else await waitForAll(deps, reply, { positions: [end], projections })
}

/**
 * Adds or removes contacts, bucket by bucket, each in one append. Buckets are independent: a call that fails half-way has changed
 * some of them, and its repetition changes the others and counts all.
 */
export async function changeMembers(deps: Deps, reply: FastifyReply, change: Change): Promise<Changed> {
  const buckets = [...byBucket(change.named.contactIds)]
  const written = await Promise.all(buckets.map((bucket) => changeBucket(deps, change, bucket)))
  const positions = written.map(({ position }) => position)
  // If this call changed nothing, another wrote what it found, maybe a moment ago.
  const isPositionKnown = positions.length > 0 && positions.every((position) => position !== null)
  const projections = change.named.someAreNew ? ['lists', 'profiles'] : ['lists']
  if (isPositionKnown) await waitForAll(deps, reply, { positions, projections })
  else await waitForEnd(deps, reply, projections)
  return { changed: written.reduce((sum, { changed }) => sum + changed, 0), count: await countAfter(deps, change) }
}
