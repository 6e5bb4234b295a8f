import type { Executed } from '@tidings/commands'
import { type ClaimedValue, type ContactState, contact, contactStream, holdsClaim } from '@tidings/domain'
import { type AddressClaims, claimsFor, takeAll, writeUnderClaims } from './address-claims.ts'
import { type Claim, type ClaimSteps, giveUpClaim, releaseClaim } from './claim-protocol.ts'
import type { ResolvedContact, UpdateRequest } from './requests.ts'

/** The contact does not match what the caller looked for any more. */
export class NoMatch extends Error {
  override readonly name = 'NoMatch'
}

type UpdateOptions = Readonly<{ matches?: (state: ContactState) => boolean }>

/** Claims the new addresses, writes, frees the old ones. Without addresses in the request it is one append and no read. */
export async function updateContact(claims: AddressClaims, request: UpdateRequest, options: UpdateOptions = {}): Promise<ResolvedContact> {
  const { workspaceId } = request.context
  const deadline = claims.deadline()
  const addresses = await claims.addressesOf(workspaceId, request)
  const run = (attempt: number) => tryToUpdate({ claims, request, deadline, attempt, ...options })
  return claims.locked(workspaceId, addresses, () => claims.attempts(deadline, run))
}

type Try = UpdateOptions & Readonly<{ claims: AddressClaims; request: UpdateRequest; deadline: number; attempt: number }>

async function tryToUpdate({ claims, request, deadline, attempt, matches }: Try): Promise<ResolvedContact> {
  const { contactId, context } = request
  const steps = claims.stepsUntil(deadline, context)
  const state = request.email === undefined && request.phone === undefined ? null : await currentState(claims, request)
  if (state && matches && !matches(state)) throw new NoMatch()
  const wanted = state ? await wantedClaims(claims, request, { state, attempt }) : []
  const { taken, claimIds } = await takeAll(steps, wanted)
  const values = state ? claimedValues(request, state, claimIds) : {}
  const executed = await writeUnderClaims(steps, taken, () => write(claims, request, { values, attempt }))
  await releaseUnused(claims, steps, { taken, executed, workspaceId: context.workspaceId })
  return { contactId, created: false, state: executed.state, events: executed.events, position: executed.position }
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

function claimedValues(request: UpdateRequest, state: ContactState, claimIds: ReadonlyMap<'email' | 'phone', string>): Values {
  const claimed = (value: string | null, claimId: string | null | undefined): ClaimedValue => {
    if (value === null || !claimId) return { value: null, claimId: null }
    return { value, claimId }
  }
  return {
    ...(request.email !== undefined && { email: claimed(request.email, claimIds.get('email') ?? state.emailClaimId) }),
    ...(request.phone !== undefined && { phone: claimed(request.phone, claimIds.get('phone') ?? state.phoneClaimId) }),
  }
}

function updateCommand({ contactId, details, consents }: UpdateRequest, values: Values) {
  return {
    type: 'UpdateContact',
    data: { contactId, ...values, ...(details && { details }), ...(consents && { consents }) },
  } as const
}

function write(claims: AddressClaims, request: UpdateRequest, { values, attempt }: Readonly<{ values: Values; attempt: number }>) {
  return claims.options.runner.execute({
    decider: contact,
    stream: contactStream(request.context.workspaceId, request.contactId),
    command: updateCommand(request, values),
    context: { ...request.context, commandId: `${request.context.commandId}.update.${attempt}` },
  })
}

type Written = Readonly<{ taken: readonly Claim[]; executed: Executed<unknown, ContactState>; workspaceId: string }>

/** Frees the claims that the contact does not hold, or no longer. The command is done: a failure is reported, not thrown, and the next claimer heals it. */
async function releaseUnused(claims: AddressClaims, steps: ClaimSteps, { taken, executed, workspaceId }: Written): Promise<void> {
  const { before, state } = executed
  try {
    for (const claim of taken) if (!holdsClaim(state, claim.claimId)) await giveUpClaim(steps, claim)
    for (const kind of ['email', 'phone'] as const) {
      const claimId = kind === 'email' ? before.emailClaimId : before.phoneClaimId
      const [old] = await claims.addressesOf(workspaceId, { [kind]: before[kind] })
      if (old && claimId !== null && state.spentClaims.includes(claimId)) await releaseClaim(steps, { ...old, claimId })
    }
  } catch (error) {
    claims.options.onUnreleased?.(error)
  }
}
