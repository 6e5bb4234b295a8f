import type { AppendContext } from '@tidings/codec'
import type { DirectoryForm } from '@tidings/directory'
import { type ApiKeyId, asMessageId, type ContactId, type ListId, signUp, signUpStream, UNCONFIRMED_SIGN_UP } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { limitKeyOf, RequestRefused } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { acceptEmail } from '../messages/accept-email.ts'
import { type Recipient, toRecipient } from '../messages/find-recipient.ts'
import { prepareEmail } from '../messages/prepare-email.ts'
import type { Submission } from './read-submission.ts'

type Confirmation = NonNullable<DirectoryForm['confirmation']>
type ConfirmationRequest = Readonly<{
  context: AppendContext
  submission: Submission
  listId: ListId | null
  confirmation: Confirmation
  keyId: ApiKeyId
  /** Anyone may have the key: who clicks has not seen the number that was typed, so none is kept (M63). */
  isAnonymous: boolean
  /** The visitor's address. */
  ip: string
}>
type AskedSignUp = Readonly<{ contactId: ContactId; isNew: boolean; positions: readonly (Position | null)[] }>

const DAYS_TO_CONFIRM = 7
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Creates the contact, where the address has none, and sends the mail that asks its owner to confirm. Nothing that the visitor said changes
 * a contact or stands in the mail before that: anyone can type another person's address. A mail that cannot be sent is refused before
 * anything is written; one over the cap of the address is left out without a word.
 */
export async function askToConfirm(deps: Dependencies, asking: ConfirmationRequest): Promise<AskedSignUp> {
  const { context, submission } = asking
  const { workspaceId } = context
  const { email } = submission
  const known = await deps.directory.contactBy(workspaceId, { email })
  const request = { context, email, details: {}, source: UNCONFIRMED_SIGN_UP }
  const prepared = known ? null : await deps.uniqueContacts.prepareNew(request)
  const first = known ? { ...known, email } : toRecipient(prepared!)
  await prepareEmail(deps, mailTo(deps, asking, first))
  const isGranted = await takeConfirmation(deps, asking)
  const contact = prepared === null ? null : await deps.uniqueContacts.commit(prepared, [])
  const recipient = contact === null ? first : toRecipient(contact)
  const sent = isGranted ? await sendConfirmation(deps, asking, recipient) : []
  return { contactId: recipient.contactId, isNew: contact?.created ?? false, positions: [contact?.position ?? null, ...sent] }
}

/** Throws 429 where the workspace has sent its share of this hour, or of the day to the domain of the address. */
const takeConfirmation = async ({ confirmations }: Dependencies, { context, submission, ip }: ConfirmationRequest): Promise<boolean> => {
  const answer = await confirmations.take(context.workspaceId, submission.email, limitKeyOf(ip))
  if (answer.outcome !== 'workspace' && answer.outcome !== 'domain') return answer.outcome === 'granted'
  throw new RequestRefused({
    status: 429,
    message: 'Too many requests, please try again later',
    headers: { 'Retry-After': String(Math.ceil(answer.endsInMs / 1_000)) },
  })
}

/** The sign-up before its mail: the link leads to something from the moment it is sent. */
const sendConfirmation = async (
  deps: Dependencies,
  asking: ConfirmationRequest,
  recipient: Recipient,
): Promise<readonly (Position | null)[]> => {
  const { context, submission, listId, keyId, isAnonymous } = asking
  const { email, phone = null, details, formId, sourceUrl } = submission
  const signUpId = context.commandId
  const confirmBy = new Date(Date.parse(context.at) + DAYS_TO_CONFIRM * DAY_MS).toISOString()
  const { contactId } = recipient
  const pending = { email, phone: isAnonymous ? null : phone, details }
  const signedUp = await deps.commands.execute({
    decider: signUp,
    stream: signUpStream(context.workspaceId, signUpId),
    command: { type: 'SubmitForm', data: { signUpId, contactId, listId, keyId, formId, sourceUrl, confirmBy, pending } },
    context,
    isNew: true,
  })
  const mail = await acceptEmail(deps, mailTo(deps, asking, recipient))
  return [signedUp.position, mail.position]
}

/** The message has the id of the sign-up: a repeated request sends no second one. */
const mailTo = ({ links }: Dependencies, { context, confirmation, ip }: ConfirmationRequest, recipient: Recipient) => {
  const { workspaceId } = context
  const messageId = asMessageId(context.commandId)
  const { templateId, fromEmail } = confirmation
  const confirmUrl = links.confirmUrl({ workspaceId, messageId })
  return { context, recipient, ip, body: { fromEmail, templateId, templateFields: { confirmUrl } } }
}
