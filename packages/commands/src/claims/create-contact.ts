import { type ContactCommand, contact, contactStream, unknownContact } from '@tidings/domain'
import { ContactPointTaken } from './contact-point-taken.ts'
import { contactIdFor } from './ids.ts'
import type { CreateRequest, ResolvedContact } from './requests.ts'
import { claimsFor, type Point, type Tools, takeAll, underClaims } from './tools.ts'

/** Claims, then writes: two appends for one address, and no read while nobody else wants it. */
export const createContact = async (tools: Tools, request: CreateRequest): Promise<ResolvedContact> => {
  const { workspaceId } = request.context
  refuseEarly(request)
  const points = await tools.points(workspaceId, request)
  const deadline = tools.deadline()
  return tools.locked(workspaceId, points, () =>
    tools.attempts(deadline, (attempt) => tryToCreate(tools, request, { points, attempt, deadline })),
  )
}

/** What the domain refuses whatever the addresses are, it refuses before anything is claimed. */
const refuseEarly = ({ details, source }: CreateRequest): void => {
  contact.decide({ type: 'CreateContact', data: { contactId: '', details, source } }, unknownContact)
}

type Try = Readonly<{ points: readonly Point[]; attempt: number; deadline: number }>

const tryToCreate = async (tools: Tools, request: CreateRequest, { points, attempt, deadline }: Try): Promise<ResolvedContact> => {
  const { runner, prepareContact } = tools.options
  const { workspaceId, commandId } = request.context
  const contactId = contactIdFor(commandId, attempt)
  const stream = contactStream(workspaceId, contactId)
  const steps = tools.claimingUntil(deadline, request.context)
  const claims = claimsFor(points, { commandId, attempt, ownerId: contactId })
  const preparing = prepareContact?.(workspaceId, contactId).catch(() => undefined)
  try {
    const { taken, standing } = await takeAll(steps, claims)
    await preparing
    const executed = await underClaims(steps, taken, () =>
      runner.execute({
        decider: contact,
        stream,
        command: creation(
          request,
          contactId,
          new Map(claims.map(({ kind, value }) => [kind, { value, claimId: standing.get(kind) ?? '' }])),
        ),
        context: { ...request.context, commandId: `${commandId}.create.${attempt}` },
        isNew: true,
      }),
    )
    return { contactId, created: true, state: executed.state, events: executed.events, position: executed.position }
  } catch (error) {
    if (!(error instanceof ContactPointTaken)) throw error
    // This very command may have made the contact before, and lost the address since.
    const { state } = await runner.load({ decider: contact, stream, workspaceId })
    if (!state.exists) throw error
    return { contactId, created: true, state, events: [], position: null }
  }
}

type Values = ReadonlyMap<'email' | 'phone', Readonly<{ value: string; claimId: string }>>

const creation = ({ details, consents, source }: CreateRequest, contactId: string, values: Values): ContactCommand => {
  const email = values.get('email')
  const phone = values.get('phone')
  return {
    type: 'CreateContact',
    data: { contactId, details, source, ...(email && { email }), ...(phone && { phone }), ...(consents && { consents }) },
  }
}
