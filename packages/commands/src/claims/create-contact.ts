import { contact, contactStream, unknownContact } from '@tidings/domain'
import { ContactPointTaken } from './contact-point-taken.ts'
import { createTogether } from './create-together.ts'
import { creation } from './creation.ts'
import { contactIdFor } from './ids.ts'
import type { Along, CreateRequest, ResolvedContact } from './requests.ts'
import { claimsFor, type Point, type Tools, takeAll, underClaims } from './tools.ts'

/** In one append where the log can; else claims, then writes: two appends for one address. No read while nobody else wants it. */
export const createContact = async (tools: Tools, request: CreateRequest, along?: Along): Promise<ResolvedContact> => {
  const { workspaceId } = request.context
  refuseEarly(request)
  const points = await tools.points(workspaceId, request)
  const deadline = tools.deadline()
  return tools.locked(workspaceId, points, () =>
    tools.attempts(deadline, (attempt) => tryToCreate(tools, request, { points, attempt, deadline, along })),
  )
}

/** What the domain refuses whatever the addresses are, it refuses before anything is claimed. */
const refuseEarly = ({ details, source }: CreateRequest): void => {
  contact.decide({ type: 'CreateContact', data: { contactId: '', details, source } }, unknownContact)
}

type Try = Readonly<{ points: readonly Point[]; attempt: number; deadline: number; along: Along | undefined }>

const tryToCreate = async (tools: Tools, request: CreateRequest, { points, attempt, deadline, along }: Try): Promise<ResolvedContact> => {
  const { runner, prepareContact } = tools.options
  const { workspaceId, commandId } = request.context
  const contactId = contactIdFor(commandId, attempt)
  const steps = tools.claimingUntil(deadline, request.context)
  const claims = claimsFor(points, { commandId, attempt, ownerId: contactId })
  const prepared = prepareContact?.(workspaceId, contactId)
  // Heard of below: without its key nothing can be written, and asking for it again would take as long again.
  prepared?.catch(() => undefined)
  const together = attempt === 0 ? await createTogether(tools, request, { contactId, claims, along, prepared }) : null
  if (together !== null) return together
  try {
    const { taken, standing } = await takeAll(steps, claims)
    await prepared
    const held = claims.map((claim) => ({ ...claim, claimId: standing.get(claim.kind) ?? '' }))
    const executed = await underClaims(steps, taken, () => runner.execute(creation(request, { contactId, attempt, claims: held })))
    return { contactId, created: true, state: executed.state, events: executed.events, position: executed.position }
  } catch (error) {
    if (!(error instanceof ContactPointTaken)) throw error
    // This very command may have made the contact before, and lost the address since.
    const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
    if (!state.exists) throw error
    return { contactId, created: true, state, events: [], position: null }
  }
}
