import type { AppendContext } from '@tidings/codec'
import type { CommandRunner, Draft, Execution } from '@tidings/commands'
import {
  type AddressFacts,
  type ContactCommand,
  type ContactEvent,
  type ContactId,
  type ContactState,
  contact,
  contactStream,
  noFacts,
  unknownContact,
} from '@tidings/domain'
import { type Address, type AddressClaims, claimsFor, contactIdFor, takeAll, writeUnderClaims } from './address-claims.ts'
import { AddressTaken } from './address-taken.ts'
import { type Claim, takeCommand } from './claim-protocol.ts'
import type { CommittedContact, CreateRequest } from './requests.ts'

type Creation = Execution<ContactCommand, ContactEvent, ContactState>

/** A contact that is decided and not yet written. */
export type NewContact = Readonly<{
  contactId: ContactId
  state: ContactState
  request: CreateRequest
  addresses: readonly Address[]
  claims: readonly Claim[]
  /** The claims and the creation, for one append; null where only a step by step creation can work, as far as this process knows. */
  drafts: Drafts | null
}>

type Drafts = Readonly<{ claims: readonly Draft[]; creation: Draft<ContactEvent, ContactState> }>

/** Decides the creation; reads and writes nothing but the digests' secret. Throws what the domain refuses, whatever the addresses are. */
export async function prepareNew(claims: AddressClaims, request: CreateRequest): Promise<NewContact> {
  return decideNew(claims, request, { addresses: await claims.addressesOf(request.context.workspaceId, request), attempt: 0 })
}

/** Decides and writes a contact under the lock of its addresses, on what the commands before it wrote. Throws `AddressTaken`. */
export async function createContact(claims: AddressClaims, request: CreateRequest): Promise<CommittedContact> {
  const { workspaceId } = request.context
  const addresses = await claims.addressesOf(workspaceId, request)
  const deadline = claims.deadline()
  const run = async (attempt: number) => {
    const prepared = decideNew(claims, request, { addresses, attempt })
    const drafts = prepared.drafts === null ? [] : ((await request.draftsFor?.(prepared.contactId)) ?? [])
    return await write(claims, prepared, { deadline, attempt, drafts })
  }
  return claims.locked(workspaceId, addresses, () => claims.attempts(deadline, run))
}

/**
 * Writes a prepared contact, and the drafts with it where one append can have them all: no reader sees a claim without its contact. Else
 * the claims come first, then the contact, and the drafts are the caller's to write: a log without such an append, an address that is
 * claimed or was, a command that ran before. Throws `AddressTaken`.
 */
export async function commitNew(claims: AddressClaims, prepared: NewContact, drafts: readonly Draft[]): Promise<CommittedContact> {
  const { request, addresses } = prepared
  const deadline = claims.deadline()
  const run = (attempt: number) =>
    write(claims, attempt === 0 ? prepared : decideNew(claims, request, { addresses, attempt }), { deadline, attempt, drafts })
  return claims.locked(request.context.workspaceId, addresses, () => claims.attempts(deadline, run))
}

function decideNew(
  { options: { runner } }: AddressClaims,
  request: CreateRequest,
  { addresses, attempt }: Readonly<{ addresses: readonly Address[]; attempt: number }>,
): NewContact {
  const { context } = request
  const contactId = contactIdFor(context.commandId, attempt)
  const claims = claimsFor(addresses, { commandId: context.commandId, attempt, ownerId: contactId })
  const creation = creationOf(request, { contactId, attempt, claims })
  const state = contact.decide(creation.command, unknownContact).reduce(contact.evolve, unknownContact)
  const drafts =
    runner.writesTogether && attempt === 0 && addresses.every(({ older }) => older.length === 0)
      ? draftAll(runner, { context, claims, create: (claimed) => creationOf(request, { contactId, attempt, claims: claimed }) })
      : null
  return { contactId, state, request, addresses, claims, drafts }
}

function draftAll(
  runner: CommandRunner,
  {
    context,
    claims,
    create,
  }: Readonly<{ context: AppendContext; claims: readonly Claim[]; create: (claimed: readonly ClaimedAddress[]) => Creation }>,
): Drafts | null {
  const taken = claims.map((claim) => ({ claim, draft: runner.draft(takeCommand(context, claim)) }))
  // Facts about an address that a contact gave up may be known; the append's revision checks that there are no newer ones.
  const claimed = taken.flatMap(({ claim, draft }) => (draft === null ? [] : [{ ...claim, facts: draft.state.facts, draft }]))
  const created = claimed.length === claims.length ? runner.draft(create(claimed)) : null
  return created === null ? null : { claims: claimed.map(({ draft }) => draft), creation: created }
}

type Attempt = Readonly<{ deadline: number; attempt: number; drafts: readonly Draft[] }>

async function write(claims: AddressClaims, prepared: NewContact, { deadline, attempt, drafts }: Attempt): Promise<CommittedContact> {
  const { contactId, request } = prepared
  const { runner, createKey } = claims.options
  const { context } = request
  const key = createKey?.(context.workspaceId, contactId)
  // Attach a handler now, so that a rejection is never unhandled. Without its key nothing can be written: it is awaited before each write.
  key?.catch(() => undefined)
  const committed = await writeTogether(claims, prepared, { drafts, key })
  if (committed !== null) return committed
  const steps = claims.stepsUntil(deadline, context)
  try {
    const { taken, claimIds, facts } = await takeAll(steps, prepared.claims)
    await key
    const claimed = prepared.claims.map((claim) => ({
      ...claim,
      claimId: claimIds.get(claim.kind) ?? '',
      facts: facts.get(claim.kind) ?? noFacts,
    }))
    const creation = creationOf(request, { contactId, attempt, claims: claimed })
    const { state, events, position } = await writeUnderClaims(steps, taken, () => runner.execute(creation))
    return { contactId, created: true, state, events, position, appended: [] }
  } catch (error) {
    if (!(error instanceof AddressTaken)) throw error
    // This very command may have created the contact before, and lost the address since.
    const { workspaceId } = context
    const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
    if (!state.exists) throw error
    return { contactId, created: true, state, events: [], position: null, appended: [] }
  }
}

/** Writes one append, under the ids that the events have step by step. Null if nothing was written. */
async function writeTogether(
  { options: { runner } }: AddressClaims,
  { contactId, drafts: own }: NewContact,
  { drafts, key }: Readonly<{ drafts: readonly Draft[]; key: Promise<unknown> | undefined }>,
): Promise<CommittedContact | null> {
  if (own === null) return null
  await key
  const appended = await runner.writeTogether([...own.claims, own.creation, ...drafts])
  if (appended === null) return null
  const { state, events, position } = own.creation.confirm(appended[own.claims.length]!)
  return { contactId, created: true, state, events, position, appended: appended.slice(own.claims.length + 1) }
}

type ClaimedAddress = Claim & Readonly<{ facts?: AddressFacts }>
type Creating = Readonly<{ contactId: ContactId; attempt: number; claims: readonly ClaimedAddress[] }>

/** Creates the contact under these claims, in a stream that only this command can have written to. */
function creationOf({ context, details, consents, source }: CreateRequest, { contactId, attempt, claims }: Creating): Creation {
  const claimed = new Map(claims.map(({ kind, value, claimId, facts = noFacts }) => [kind, { value, claimId, facts }]))
  const [email, phone] = [claimed.get('email'), claimed.get('phone')]
  return {
    decider: contact,
    stream: contactStream(context.workspaceId, contactId),
    command: {
      type: 'CreateContact',
      data: { contactId, details, source, ...(email && { email }), ...(phone && { phone }), ...(consents && { consents }) },
    },
    context: { ...context, commandId: `${context.commandId}.create.${attempt}` },
    isNew: true,
  }
}
