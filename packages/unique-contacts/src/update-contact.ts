import { emailKey } from '@tidings/addresses'
import type { CommandRunner, Draft, Executed } from '@tidings/commands'
import {
  type AddressFacts,
  type ClaimedValue,
  type ClaimKind,
  type ContactEvent,
  type ContactState,
  contact,
  contactStream,
  factsOfAddress,
  hasClaim,
  hasFacts,
  noFacts,
  Refused,
  type WorkspaceId,
} from '@tidings/domain'
import type { Appended } from '@tidings/event-store'
import { type AddressClaims, claimsFor, takeAll, writeUnderClaims } from './address-claims.ts'
import { type Claim, type ClaimSteps, giveUpClaim, releaseClaim } from './claim-protocol.ts'
import { writeFacts } from './facts.ts'
import type { CommittedContact, UpdateRequest } from './requests.ts'

/** The contact does not match what the caller looked for any more. */
export class NoMatch extends Error {
  override readonly name = 'NoMatch'
}

type UpdateOptions = Readonly<{ matches?: (state: ContactState) => boolean }>

/** Claims the new addresses, writes, frees the old ones. Without addresses in the request it is one append and no read. */
export async function updateContact(claims: AddressClaims, request: UpdateRequest, options: UpdateOptions = {}): Promise<CommittedContact> {
  const { workspaceId } = request.context
  const deadline = claims.deadline()
  const addresses = await claims.addressesOf(workspaceId, request)
  const run = (attempt: number) => tryToUpdate({ claims, request, deadline, attempt, ...options })
  return claims.locked(workspaceId, addresses, () => claims.attempts(deadline, run))
}

type Try = UpdateOptions & Readonly<{ claims: AddressClaims; request: UpdateRequest; deadline: number; attempt: number }>

async function tryToUpdate({ claims, request: asked, deadline, attempt, matches }: Try): Promise<CommittedContact> {
  const { contactId, context } = asked
  const steps = claims.stepsUntil(deadline, context)
  const state = asked.email === undefined && asked.phone === undefined ? null : await currentState(claims, asked)
  if (state && matches && !matches(state)) throw new NoMatch()
  const known = state?.email ?? null
  const request = isSameEmail(known, asked.email) ? { ...asked, email: known } : asked
  const wanted = state ? await wantedClaims(claims, request, { state, attempt }) : []
  const all = await takeAll(steps, wanted)
  const { taken } = all
  const values = state ? claimedValues(request, state, all) : {}
  if (state) await keepFacts(claims, steps, { state, values })
  const { executed, appended } = await writeUnderClaims(steps, taken, () => write(claims, request, { values, attempt }))
  await releaseUnused(claims, steps, { taken, executed, workspaceId: context.workspaceId })
  const { events, position } = executed
  return { contactId, created: false, state: executed.state, events, position, appended }
}

/** A log from before M46 may hold the address in another spelling: that is no other address, and its claim is not taken anew. */
export function isSameEmail(known: string | null | undefined, wanted: string | null | undefined): boolean {
  return typeof known === 'string' && typeof wanted === 'string' && (known === wanted || emailKey(known) === emailKey(wanted))
}

async function currentState({ options: { runner } }: AddressClaims, request: UpdateRequest): Promise<ContactState> {
  const { workspaceId } = request.context
  const stream = contactStream(workspaceId, request.contactId)
  const { state } = await runner.load({ decider: contact, stream, workspaceId })
  // Refuses what does not depend on the addresses before any of them is claimed.
  contact.decide(updateCommand(request, {}), state)
  return state
}

/** Claims only for the values that the contact does not have. */
async function wantedClaims(
  claims: AddressClaims,
  request: UpdateRequest,
  { state, attempt }: Readonly<{ state: ContactState; attempt: number }>,
): Promise<readonly Claim[]> {
  const { commandId, workspaceId } = request.context
  const addresses = await claims.addressesOf(workspaceId, request)
  return claimsFor(
    addresses.filter(({ kind, value }) => state[kind] !== value),
    { commandId, attempt, ownerId: request.contactId },
  )
}

type Values = Readonly<{ email?: ClaimedValue; phone?: ClaimedValue }>

type TakenAddresses = Readonly<{ claimIds: ReadonlyMap<ClaimKind, string>; facts: ReadonlyMap<ClaimKind, AddressFacts> }>

function claimedValues(request: UpdateRequest, state: ContactState, { claimIds, facts }: TakenAddresses): Values {
  const claimed = (kind: 'email' | 'phone', value: string | null, known: string | null): ClaimedValue => {
    const claimId = claimIds.get(kind) ?? known
    if (value === null || !claimId) return { value: null, claimId: null }
    return { value, claimId, facts: facts.get(kind) ?? noFacts }
  }
  return {
    ...(request.email !== undefined && { email: claimed('email', request.email, state.emailClaimId) }),
    ...(request.phone !== undefined && { phone: claimed('phone', request.phone, state.phoneClaimId) }),
  }
}

/**
 * What the contact's stream says of an address that it is about to give up is kept with the address first: its validation, and what was found
 * out before facts were noted there.
 */
async function keepFacts(
  claims: AddressClaims,
  steps: ClaimSteps,
  { state, values }: Readonly<{ state: ContactState; values: Values }>,
): Promise<void> {
  for (const kind of ['email', 'phone'] as const) {
    const [had, next] = [state[kind], values[kind]]
    const facts = factsOfAddress(state, kind === 'email' ? 'email' : 'sms')
    if (had === null || next === undefined || next.value === had || !hasFacts(facts)) continue
    const [old] = await claims.addressesOf(steps.context.workspaceId, { [kind]: had })
    if (old) await writeFacts(steps, old, { type: 'KeepAddressFacts', data: facts })
  }
}

function updateCommand({ contactId, details, fillsOnly, consents }: UpdateRequest, values: Values) {
  return {
    type: 'UpdateContact',
    data: { contactId, ...values, ...(details && { details }), ...(fillsOnly && { fillsOnly }), ...(consents && { consents }) },
  } as const
}

type Changed = Readonly<{ executed: Executed<ContactEvent, ContactState>; appended: readonly Appended[] }>

async function write(
  { options: { runner } }: AddressClaims,
  request: UpdateRequest,
  { values, attempt }: Readonly<{ values: Values; attempt: number }>,
): Promise<Changed> {
  const { context, contactId, draftsFor } = request
  const execution = {
    decider: contact,
    stream: contactStream(context.workspaceId, contactId),
    command: updateCommand(request, values),
    context: { ...context, commandId: `${context.commandId}.update.${attempt}` },
  } as const
  const drafts = draftsFor && runner.writesTogether ? await draftsFor(contactId) : []
  const together = drafts.length === 0 ? null : await writeTogether(runner, () => runner.draft(execution), drafts)
  return together ?? { executed: await runner.execute(execution), appended: [] }
}

type OwnDraft = Draft<ContactEvent, ContactState>

/** Null where nothing was written: `execute` has the outcome or the refusal. */
async function writeTogether(runner: CommandRunner, draft: () => OwnDraft | null, drafts: readonly Draft[]): Promise<Changed | null> {
  const own = draftOrNull(draft)
  const [first, ...appended] = (own && (await runner.writeTogether([own, ...drafts]))) ?? []
  return own && first ? { executed: own.confirm(first), appended } : null
}

/** It decides on what is cached, which may be old. */
function draftOrNull(draft: () => OwnDraft | null): OwnDraft | null {
  try {
    return draft()
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}

type Written = Readonly<{ taken: readonly Claim[]; executed: Executed<unknown, ContactState>; workspaceId: WorkspaceId }>

/** Frees the claims that the contact does not hold, or no longer. The command is done: a failure is reported, not thrown, and the next claimer heals it. */
async function releaseUnused(claims: AddressClaims, steps: ClaimSteps, { taken, executed, workspaceId }: Written): Promise<void> {
  const { before, state } = executed
  try {
    for (const claim of taken) if (!hasClaim(state, claim.claimId)) await giveUpClaim(steps, claim)
    for (const kind of ['email', 'phone'] as const) {
      const claimId = kind === 'email' ? before.emailClaimId : before.phoneClaimId
      const [old] = await claims.addressesOf(workspaceId, { [kind]: before[kind] })
      if (old && claimId !== null && state.spentClaims.includes(claimId)) await releaseClaim(steps, { ...old, claimId })
    }
  } catch (error) {
    claims.options.onUnreleased?.(error)
  }
}
