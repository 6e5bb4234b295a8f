import { type ContactCommand, type ContactEvent, type ContactState, contact, contactStream } from '@tidings/domain'
import type { Execution } from '../execution.ts'
import type { Claim } from './claiming.ts'
import type { CreateRequest } from './requests.ts'

type Creating = Readonly<{ contactId: string; attempt: number; claims: readonly Claim[] }>

/** The command that makes the contact under these claims, for a stream that nobody can have written to but this command. */
export const creation = (
  { context, details, consents, source }: CreateRequest,
  { contactId, attempt, claims }: Creating,
): Execution<ContactCommand, ContactEvent, ContactState> => {
  const held = new Map(claims.map(({ kind, value, claimId }) => [kind, { value, claimId }]))
  const [email, phone] = [held.get('email'), held.get('phone')]
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
