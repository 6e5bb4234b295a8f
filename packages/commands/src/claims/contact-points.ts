import { type ClaimState, claim, claimStream, contact, contactStream, holdsClaim } from '@tidings/domain'
import { Busy } from '../errors.ts'
import { type Pace, realPace } from '../pace.ts'
import { ContactPointTaken } from './contact-point-taken.ts'
import { createContact } from './create-contact.ts'
import type { ContactPoints, ResolvedContact, UpsertRequest } from './requests.ts'
import { type ContactPointsOptions, type Tools, toolsFor } from './tools.ts'
import { isNotFound, NoMatch, updateContact } from './update-contact.ts'

/** Contacts with unique emails and phone numbers, by the claim protocol (packages/commands/README.md). */
export const contactPoints = (options: Omit<ContactPointsOptions, 'pace'> & Readonly<{ pace?: Pace }>): ContactPoints => {
  const tools = toolsFor({ pace: realPace, ...options })
  const points: ContactPoints = {
    create: (request) => createContact(tools, request),
    update: (request) => updateContact(tools, request),
    upsert: (request) => upsert(tools, points, request),
    resolveOrCreate: async (request) => {
      try {
        return await createContact(tools, request)
      } catch (error) {
        if (!(error instanceof ContactPointTaken)) throw error
        return { contactId: error.ownerId, created: false, state: error.owner, events: [], position: null }
      }
    },
    ownerOf: (workspaceId, kind, value) => ownerOf(tools, workspaceId, { kind, value }),
  }
  return points
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
      const match = await bestMatch(points, request)
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
