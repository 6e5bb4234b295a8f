import type { AppendContext } from '@tidings/codec'
import type { CommandRunner, Draft } from '@tidings/commands'
import type { Directory } from '@tidings/directory'
import type { ApiKeyId, ConsentStatement, ContactId, ListId } from '@tidings/domain'
import { bucketOf, members, membersStream, Refused, signUp, signUpStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { UniqueContacts } from '@tidings/unique-contacts'
import type { Submission } from './read-submission.ts'

/** The address and browser of the consent; both are evidence in the history (N188). */
export type Evidence = Readonly<{ ip: string; userAgent: string | null }>

type Subscribing = Readonly<{
  commands: CommandRunner
  uniqueContacts: UniqueContacts
  directory: Readonly<{ contactBy: Directory['contactBy'] }>
}>

/** `isAnonymous`: anyone may have the key that it came with (M63). */
type SigningUp = Readonly<{
  context: AppendContext
  submission: Submission
  listId: ListId | null
  keyId: ApiKeyId
  isAnonymous: boolean
  evidence: Evidence
}>
type SignedUp = Readonly<{ contactId: ContactId; isNew: boolean; positions: readonly (Position | null)[] }>

/** The consent that a form records (contract: Consent). */
export function formConsent({ ip, userAgent }: Evidence): ConsentStatement {
  return { channel: 'email', status: 'subscribed', source: 'embedded_form', ip, userAgent }
}

/**
 * Writes the contact with its consent, the sign-up and the membership in one append, where the log can. Else one after the other, each
 * idempotent under the command's id: what a crash cut off is done by the repetition of the request. What an anonymous visitor says of a contact
 * that is there fills what is empty, and gives it no phone: texts to the contact would go to the visitor.
 */
export async function subscribeContact(deps: Subscribing, signingUp: SigningUp): Promise<SignedUp> {
  const { context, submission, listId, keyId, isAnonymous, evidence } = signingUp
  const { email, phone, details, formId, sourceUrl } = submission
  const known = await deps.directory.contactBy(context.workspaceId, { email })
  const signUpId = context.commandId
  const submittingOf = (contactId: ContactId) =>
    ({
      decider: signUp,
      stream: signUpStream(context.workspaceId, signUpId),
      command: { type: 'SubmitForm', data: { signUpId, contactId, listId, keyId, formId, sourceUrl, confirmBy: null, pending: null } },
      context,
      isNew: true,
    }) as const
  const contact = await deps.uniqueContacts.upsert({
    context,
    email,
    ...(phone !== undefined && { phone }),
    matchBy: 'email',
    ...(isAnonymous && { ofMatch: 'fill' }),
    ...(known && { knownId: known.contactId }),
    details,
    consents: [formConsent(evidence)],
    source: 'embedded_form',
    draftsFor: async (contactId) => [
      ...draftOf(deps.commands.draft(submittingOf(contactId))),
      ...(await draftJoining(deps, { context, listId, contactId })),
    ],
  })
  const { contactId, created: isNew, position, appended } = contact
  if (appended.length > 0) return { contactId, isNew, positions: [position, ...appended.map((one) => one.position)] }
  const signedUp = await deps.commands.execute(submittingOf(contactId))
  return { contactId, isNew, positions: [position, signedUp.position, await joinList(deps, { context, listId, contactId })] }
}

/** The same by an anonymous visitor, without a phone that another contact has: a page does not learn that it has one (M63). */
export async function subscribeUnheard(deps: Subscribing, visiting: Omit<SigningUp, 'isAnonymous'>): Promise<SignedUp> {
  const signingUp = { ...visiting, isAnonymous: true }
  try {
    return await subscribeContact(deps, signingUp)
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'contact_phone_taken') throw error
    const { phone: _, ...submission } = signingUp.submission
    return await subscribeContact(deps, { ...signingUp, submission })
  }
}

/** `listId`: null where the form joins none. */
type Joining = Readonly<{ context: AppendContext; listId: ListId | null; contactId: ContactId }>

const joiningOf = (listId: ListId, { context, contactId }: Joining) =>
  ({
    decider: members,
    stream: membersStream(context.workspaceId, listId, bucketOf(contactId)),
    command: { type: 'AddMembers', data: { listId, contactIds: [contactId] } },
    context,
  }) as const

/** Null where the contact was a member already. */
export async function joinList({ commands }: Readonly<{ commands: CommandRunner }>, joining: Joining): Promise<Position | null> {
  return joining.listId === null ? null : (await commands.execute(joiningOf(joining.listId, joining))).position
}

/** The same for an append with others. It reads the bucket first: a draft is decided on what is cached. */
export async function draftJoining({ commands }: Readonly<{ commands: CommandRunner }>, joining: Joining): Promise<readonly Draft[]> {
  if (joining.listId === null) return []
  const execution = joiningOf(joining.listId, joining)
  await commands.load({ ...execution, workspaceId: joining.context.workspaceId })
  return draftOf(commands.draft(execution))
}

/** Returns none if there is nothing to write. */
export function draftOf(draft: Draft | null): readonly Draft[] {
  return draft === null ? [] : [draft]
}
