import type { AppendContext } from '@tidings/codec'
import type { ConsentStatement } from '@tidings/domain'
import { bucketOf, members, membersStream, signUp, signUpStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Dependencies } from '../dependencies.ts'
import type { Submission } from './read-submission.ts'

/** Where the consent was given from; both are evidence in the history (N188). */
export type Evidence = Readonly<{ ip: string; userAgent: string | null }>

type SigningUp = Readonly<{ context: AppendContext; submission: Submission; listId: string | null; keyId: string; evidence: Evidence }>
type SignedUp = Readonly<{ contactId: string; isNew: boolean; positions: readonly (Position | null)[] }>

/** The consent that a form records (contract: Consent). */
export function formConsent({ ip, userAgent }: Evidence): ConsentStatement {
  return { channel: 'email', status: 'subscribed', source: 'embedded_form', ip, userAgent }
}

/**
 * Writes the contact with its consent, then the sign-up, then the membership. Each is idempotent under the command's id: what a crash cut
 * off is done by the repetition of the request.
 */
export async function subscribeContact(deps: Dependencies, { context, submission, listId, keyId, evidence }: SigningUp): Promise<SignedUp> {
  const { email, phone, details, formId, sourceUrl } = submission
  const known = await deps.directory.contactBy(context.workspaceId, { email })
  const contact = await deps.uniqueContacts.upsert({
    context,
    email,
    ...(phone !== undefined && { phone }),
    matchBy: 'email',
    ...(known && { knownId: known.contactId }),
    details,
    consents: [formConsent(evidence)],
    source: 'embedded_form',
  })
  const { contactId, created: isNew } = contact
  const signUpId = context.commandId
  const signedUp = await deps.commands.execute({
    decider: signUp,
    stream: signUpStream(context.workspaceId, signUpId),
    command: { type: 'SubmitForm', data: { signUpId, contactId, listId, keyId, formId, sourceUrl, confirmBy: null, pending: null } },
    context,
    isNew: true,
  })
  const joined = listId === null ? null : await joinList(deps, { context, listId, contactId })
  return { contactId, isNew, positions: [contact.position, signedUp.position, joined] }
}

type Joining = Readonly<{ context: AppendContext; listId: string; contactId: string }>

/** Null where the contact was a member already. */
export async function joinList(
  { commands }: Pick<Dependencies, 'commands'>,
  { context, listId, contactId }: Joining,
): Promise<Position | null> {
  const { position } = await commands.execute({
    decider: members,
    stream: membersStream(context.workspaceId, listId, bucketOf(contactId)),
    command: { type: 'AddMembers', data: { listId, contactIds: [contactId] } },
    context,
  })
  return position
}
