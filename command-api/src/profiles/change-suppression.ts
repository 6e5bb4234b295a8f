import { normalizeEmail } from '@tidings/addresses'
import { appendContext } from '@tidings/administration'
import type { AppendContext } from '@tidings/codec'
import type { BlacklistBody, Profile } from '@tidings/contracts'
import { type ContactCommand, type ContactId, contact, contactStream, type SuppressionChannel, type WorkspaceId } from '@tidings/domain'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { answerProfile } from './answer-profile.ts'
import { findContactId } from './find-contact-id.ts'
import { asProfileNotFound } from './profile-not-found.ts'

type Target = Readonly<{ contactId: ContactId; channels: readonly SuppressionChannel[] }>

/** The contact and channels of a blacklist body; `contactId` wins over `email` (G7). */
const target = async (deps: Dependencies, workspaceId: WorkspaceId, body: BlacklistBody): Promise<Target> => ({
  contactId: body.contactId ?? (await findContactId(deps, workspaceId, { email: normalizeEmail(body.email ?? '') })),
  channels: body.channel === 'both' ? ['email', 'sms'] : [body.channel],
})

/** Runs the command on the contact of a blacklist body, and answers with its profile. */
export async function changeSuppression(
  deps: Dependencies,
  { request, reply }: Readonly<{ request: FastifyRequest<{ Body: BlacklistBody }>; reply: FastifyReply }>,
  commandFor: (target: Target) => ContactCommand,
  liftsAddresses = false,
): Promise<Profile> {
  const at = deps.now()
  const { workspaceId } = request.tenant
  const whom = await target(deps, workspaceId, request.body)
  if (liftsAddresses) await liftAddresses(deps, whom, appendContext(request, at))
  const executed = await asProfileNotFound(
    deps.commands.execute({
      decider: contact,
      stream: contactStream(workspaceId, whom.contactId),
      command: commandFor(whom),
      context: appendContext(request, at),
    }),
  )
  return answerProfile(deps, request, reply, { contactId: whom.contactId, ...executed, at })
}

/** Lifts the facts of the contact's addresses first: else the next contact that takes one would be suppressed again (G44, M45). */
async function liftAddresses(
  { commands, uniqueContacts }: Dependencies,
  { contactId, channels }: Target,
  context: AppendContext,
): Promise<void> {
  const { workspaceId } = context
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  const has = (channel: SuppressionChannel, value: string | null) => (channels.includes(channel) ? value : null)
  await uniqueContacts.liftFacts({ context, email: has('email', state.email), phone: has('sms', state.phone) })
}
