import { type ClaimedValue, type ContactState, contact, contactStream, holdsClaim, Refused } from '@tidings/domain'
import type { Executed } from '../execution.ts'
import type { Claim, Claiming } from './claiming.ts'
import type { ResolvedContact, UpdateRequest } from './requests.ts'
import { claimsFor, type Tools, takeAll, underClaims } from './tools.ts'

/** Thrown when the contact is not the one that was looked for any more. */
export class NoMatch extends Error {
  override readonly name = 'NoMatch'
}

export type UpdateOptions = Readonly<{ matches?: (state: ContactState) => boolean }>

/** Claims the new addresses, writes, frees the old ones. Without addresses in the request it is one append and no read. */
export const updateContact = async (tools: Tools, request: UpdateRequest, options: UpdateOptions = {}): Promise<ResolvedContact> => {
  const { workspaceId } = request.context
  const deadline = tools.deadline()
  const points = await tools.points(workspaceId, request)
  const run = (attempt: number) => tryToUpdate({ tools, request, deadline, attempt, ...options })
  return tools.locked(workspaceId, points, () => tools.attempts(deadline, run))
}

type Try = UpdateOptions & Readonly<{ tools: Tools; request: UpdateRequest; deadline: number; attempt: number }>

const tryToUpdate = async ({ tools, request, deadline, attempt, matches }: Try): Promise<ResolvedContact> => {
  const { contactId, context } = request
  const steps = tools.claimingUntil(deadline, context)
  const state = request.email === undefined && request.phone === undefined ? null : await currentState(tools, request)
  if (state && matches && !matches(state)) throw new NoMatch()
  const wanted = state ? await wantedClaims(tools, request, { state, attempt }) : []
  const { taken, standing } = await takeAll(steps, wanted)
  const values = state ? claimedValues(request, state, standing) : {}
  const executed = await underClaims(steps, taken, () => write(tools, request, { values, attempt }))
  await tidyUp(tools, steps, { taken, executed, workspaceId: context.workspaceId })
  return { contactId, created: false, state: executed.state, events: executed.events, position: executed.position }
}

const currentState = async (tools: Tools, request: UpdateRequest): Promise<ContactState> => {
  const { workspaceId } = request.context
  const stream = contactStream(workspaceId, request.contactId)
  const { state } = await tools.options.runner.load({ decider: contact, stream, workspaceId })
  // Refuses what does not depend on the addresses before any of them is claimed.
  contact.decide(update(request, {}), state)
  return state
}

/** Claims only for the values that the contact does not have. */
const wantedClaims = async (
  tools: Tools,
  request: UpdateRequest,
  { state, attempt }: Readonly<{ state: ContactState; attempt: number }>,
) => {
  const { commandId, workspaceId } = request.context
  const points = await tools.points(workspaceId, request)
  return claimsFor(
    points.filter(({ kind, value }) => state[kind] !== value),
    { commandId, attempt, ownerId: request.contactId },
  )
}

type Values = Readonly<{ email?: ClaimedValue; phone?: ClaimedValue }>

const claimedValues = (request: UpdateRequest, state: ContactState, standing: ReadonlyMap<'email' | 'phone', string>): Values => {
  const claimed = (value: string | null, claimId: string | null | undefined): ClaimedValue => {
    if (value === null || !claimId) return { value: null, claimId: null }
    return { value, claimId }
  }
  return {
    ...(request.email !== undefined && { email: claimed(request.email, standing.get('email') ?? state.emailClaimId) }),
    ...(request.phone !== undefined && { phone: claimed(request.phone, standing.get('phone') ?? state.phoneClaimId) }),
  }
}

const update = ({ contactId, details, consents }: UpdateRequest, values: Values) =>
  ({ type: 'UpdateContact', data: { contactId, ...values, ...(details && { details }), ...(consents && { consents }) } }) as const

const write = (tools: Tools, request: UpdateRequest, { values, attempt }: Readonly<{ values: Values; attempt: number }>) =>
  tools.options.runner.execute({
    decider: contact,
    stream: contactStream(request.context.workspaceId, request.contactId),
    command: update(request, values),
    context: { ...request.context, commandId: `${request.context.commandId}.update.${attempt}` },
  })

type Written = Readonly<{ taken: readonly Claim[]; executed: Executed<unknown, ContactState>; workspaceId: string }>

/** Frees what the contact does not hold, or no longer. The command is done: a failure here is told, not thrown, and healed by the next claimer. */
const tidyUp = async (tools: Tools, steps: Claiming, { taken, executed, workspaceId }: Written): Promise<void> => {
  const { before, state } = executed
  try {
    for (const claim of taken) if (!holdsClaim(state, claim.claimId)) await steps.giveUp(claim)
    for (const kind of ['email', 'phone'] as const) {
      const claimId = kind === 'email' ? before.emailClaimId : before.phoneClaimId
      const [old] = await tools.points(workspaceId, { [kind]: before[kind] })
      if (old && claimId !== null && state.spentClaims.includes(claimId)) await steps.release({ ...old, claimId })
    }
  } catch (error) {
    tools.options.onUnreleased?.(error)
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof Refused && error.code === 'contact_not_found'
