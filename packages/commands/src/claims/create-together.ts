import { claim, claimStream } from '@tidings/domain'
import type { Claim } from './claiming.ts'
import { creation } from './creation.ts'
import type { Along, CreateRequest, ResolvedContact } from './requests.ts'
import { stepOf } from './settling.ts'
import type { Tools } from './tools.ts'

type Creating = Readonly<{ contactId: string; claims: readonly Claim[]; along: Along | undefined; prepared: Promise<unknown> | undefined }>

/**
 * The claims, the contact and what is to be written along with it, in one append: nobody ever sees a claim without its contact. Every
 * event has the id that it would have step by step. Null where that was not possible, and then nothing was written: somebody has one of
 * the addresses, had it or claims it, this very command ran before, or the log has no such append.
 */
export const createTogether = async (
  { options: { runner } }: Tools,
  request: CreateRequest,
  { contactId, claims, along, prepared }: Creating,
): Promise<ResolvedContact | null> => {
  if (!runner.writesTogether) return null
  const taken = claims.flatMap((wanted) => runner.draft(taking(request, wanted)) ?? [])
  const created = runner.draft(creation(request, { contactId, attempt: 0, claims }))
  if (created === null || taken.length < claims.length) return null
  const [followed] = await Promise.all([along?.({ contactId, state: created.state }), prepared])
  const appended = await runner.writeTogether([...taken, created, ...(followed ? [followed] : [])])
  if (appended === null) return null
  const { state, events, position } = created.stands(appended[taken.length]!)
  return { contactId, created: true, state, events, position, ...(followed && { along: appended.at(-1)!.position }) }
}

const taking = ({ context }: CreateRequest, { kind, digest, claimId, ownerId }: Claim) =>
  ({
    decider: claim,
    stream: claimStream(context.workspaceId, kind, digest),
    command: { type: 'TakeClaim', data: { claimId, ownerId } },
    context: stepOf(context, claimId, 'take'),
  }) as const
