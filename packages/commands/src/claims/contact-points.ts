import { type ClaimState, type ContactState, claim, claimStream, contact, contactStream, holdsClaim } from '@tidings/domain'
import { Busy } from '../errors.ts'
import { type Pace, realPace } from '../pace.ts'
import { ContactPointTaken } from './contact-point-taken.ts'
import { createContact } from './create-contact.ts'
import type { Along, ContactPoints, CreateRequest, ResolvedContact, UpsertRequest } from './requests.ts'
import { sharedWork } from './shared-work.ts'
import { type ContactPointsOptions, type Tools, toolsFor } from './tools.ts'
import { isNotFound, NoMatch, updateContact } from './update-contact.ts'

/** Contacts with unique emails and phone numbers, by the claim protocol (packages/commands/README.md). */
export const contactPoints = (options: Omit<ContactPointsOptions, 'pace'> & Readonly<{ pace?: Pace }>): ContactPoints => {
  const tools = toolsFor({ pace: realPace, ...options })
  const resolving = sharedWork<ResolvedContact>()
  const points: ContactPoints = {
    create: (request) => createContact(tools, request),
    update: (request) => updateContact(tools, request),
    upsert: (request) => upsert(tools, points, request),
    resolveOrCreate: async (request, along) => {
      const { context, email = '', phone = '' } = request
      let ran = false
      // A burst to one new address is one creation, and one look at the log for everybody who came meanwhile.
      const resolved = await resolving(`${context.workspaceId} ${email} ${phone}`, () => {
        ran = true
        return resolveOrCreate(tools, request, along)
      })
      return ran ? resolved : found(resolved.contactId, resolved.state)
    },
    ownerOf: (workspaceId, kind, value) => ownerOf(tools, workspaceId, { kind, value }),
  }
  return points
}

const found = (contactId: string, state: ContactState): ResolvedContact => ({
  contactId,
  created: false,
  state,
  events: [],
  position: null,
})

const resolveOrCreate = async (tools: Tools, request: CreateRequest, along?: Along): Promise<ResolvedContact> => {
  try {
    return await createContact(tools, request, along)
  } catch (error) {
    if (!(error instanceof ContactPointTaken)) throw error
    return found(error.ownerId, error.owner)
  }
}

const ownerOf = async (
  { options: { runner, claimDigest } }: Tools,
  workspaceId: string,
  { kind, value }: Readonly<{ kind: 'email' | 'phone'; value: string }>,
): Promise<string | null> => {
  const stream = claimStream(workspaceId, kind, await claimDigest(workspaceId, kind, value))
  const { state }: { state: ClaimState } = await runner.load({ decider: claim, stream, workspaceId })
  if (state.holder === null) return null
  const { ownerId, claimId } = state.holder
  const owner = await runner.load({ decider: contact, stream: contactStream(workspaceId, ownerId), workspaceId })
  return holdsClaim(owner.state, claimId) ? ownerId : null
}

const upsert = async (tools: Tools, points: ContactPoints, request: UpsertRequest): Promise<ResolvedContact> => {
  const deadline = tools.deadline()
  let target = request.knownId ?? null
  do {
    try {
      return target === null ? await points.create(request) : await updateMatch(tools, request, target)
    } catch (error) {
      const taken = error instanceof ContactPointTaken
      if (!taken && !isNotFound(error) && !(error instanceof NoMatch)) throw error
      // A creation takes the email first: whoever stands in its way is the match by email, or the match by phone where nobody has the email.
      const match = taken && target === null ? error.ownerId : await bestMatch(points, request)
      // The match by email stands, and the phone belongs to somebody else.
      if (taken && match === target) throw error
      target = match
    }
  } while (tools.options.pace.now() < deadline)
  throw new Busy('the address stayed contended')
}

const updateMatch = (tools: Tools, request: UpsertRequest, contactId: string): Promise<ResolvedContact> => {
  const { context, email, phone, details, consents } = request
  const changes = { ...(email !== undefined && { email }), ...(phone !== undefined && { phone }), ...(consents && { consents }) }
  return updateContact(
    tools,
    { context, contactId, details, ...changes },
    {
      matches: (state) => (email !== undefined && state.email === email) || (phone !== undefined && state.phone === phone),
    },
  )
}

const bestMatch = async (points: ContactPoints, { context: { workspaceId }, email, phone }: UpsertRequest): Promise<string | null> =>
  (email === undefined ? null : await points.ownerOf(workspaceId, 'email', email)) ??
  (phone === undefined ? null : await points.ownerOf(workspaceId, 'phone', phone))
