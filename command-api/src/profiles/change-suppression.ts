import { normalizeEmail } from '@tidings/addresses'
import type { BlacklistBody, Profile } from '@tidings/contracts'
import { type ContactCommand, contact, contactStream, type SuppressionChannel } from '@tidings/domain'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { appendContext } from '../append-context.ts'
import type { Dependencies } from '../dependencies.ts'
import { answerProfile } from './answer-profile.ts'
import { findContactId } from './find-contact-id.ts'
import { asProfileNotFound } from './profile-not-found.ts'

type Target = Readonly<{ contactId: string; channels: readonly SuppressionChannel[] }>

/** The contact and channels of a blacklist body; `contactId` wins over `email` (G7). */
const target = async (deps: Dependencies, workspaceId: string, body: BlacklistBody): Promise<Target> => ({
  contactId: body.contactId ?? (await findContactId(deps, workspaceId, { email: normalizeEmail(body.email ?? '') })),
  channels: body.channel === 'both' ? ['email', 'sms'] : [body.channel],
})

/** Runs the command on the contact of a blacklist body, and answers with its profile. */
export async function changeSuppression(
  deps: Dependencies,
  { request, reply }: Readonly<{ request: FastifyRequest<{ Body: BlacklistBody }>; reply: FastifyReply }>,
  commandFor: (target: Target) => ContactCommand,
): Promise<Profile> {
  const at = deps.now()
  const { workspaceId } = request.tenant
  const whom = await target(deps, workspaceId, request.body)
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
