import { isValidEmail, normalizeEmail, normalizePhone } from '@tidings/addresses'
import { NoCopy, type SentCopy, type TestCopy } from '@tidings/administration'
import { isoNow } from '@tidings/async/clock'
import { type AppendContext, type ContentLocation, contentStore, type EventLog, type KeyRing, putContent, uuidv7 } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import {
  asMessageId,
  type ContactId,
  contactSubject,
  type EmailContent,
  type MessageCommand,
  message,
  messageStream,
  smsCredits,
  smsSegments,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { Links } from '@tidings/mail-content'
import { createUniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'
import { type CampaignCopy, makeCopy } from './make-copy.ts'
import { madeOrFail } from './one-copy.ts'

type Stores = Readonly<{ log: EventLog; pool: Pool; keyRing: KeyRing }>
type Sending = Stores & Readonly<{ links: Pick<Links, 'unsubscribeUrl'> }>

const MARK = '[Test] '

/** The body of a text is in its event, which one key seals. */
const TEXT_OF_ANOTHER =
  'A text message has the values of the contact that has the number: leave --contact out, or give the number of that contact.'

/**
 * Sends one copy of a campaign to an address, through the pipeline of every message: as transactional, for it was asked for, so that neither
 * consent nor cap nor quiet hours keep it back and the campaign counts nothing. Its message belongs to the contact that has the address, who
 * is created where there is none; so a link to unsubscribe in it is theirs. What it says belongs to the contact whose values it has: the erasure of
 * either erases what is theirs.
 */
export async function sendTestCopy({ links, ...stores }: Sending, wanted: TestCopy): Promise<SentCopy> {
  const { log } = stores
  const { workspaceId, campaignId, asked } = wanted
  const commands = createCommandRunner({ log })
  const messageId = asMessageId(asked?.commandId ?? uuidv7())
  const actor = `campaign-test:${campaignId}`
  const context = { commandId: messageId, workspaceId, actor, requestId: asked?.requestId ?? messageId, at: isoNow() }
  const to = await addressOf(commands, wanted)
  const contactId = await recipientOf({ stores, commands }, context, to)
  const ofContact = wanted.contactId ?? contactId
  if (wanted.state.channel === 'sms' && ofContact !== contactId) throw new NoCopy('text_of_another', TEXT_OF_ANOTHER)
  const made = await makeCopy(
    { log, commands },
    {
      ...wanted,
      contactId: ofContact,
      messageId,
      unsubscribeUrl: links.unsubscribeUrl({ workspaceId, contactId, messageId }),
    },
  )
  const copy = madeOrFail(made)
  const command = await accepting(stores, { workspaceId, contactId, ofContact, to: to.value, copy })
  const { position } = await commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command,
    context,
    isNew: asked === undefined,
  })
  return { messageId, contactId, to: to.value, variant: copy.variant, position }
}

type Address = Readonly<{ kind: 'email' | 'phone'; value: string }>

const addressOf = async (commands: CommandRunner, { to, state, workspaceId }: TestCopy): Promise<Address> => {
  if (state.channel === 'email') {
    const email = normalizeEmail(to)
    if (!isValidEmail(email)) throw new NoCopy('wrong_address', `${to} is no email address, and the campaign sends email.`)
    return { kind: 'email', value: email }
  }
  const { state: known } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const phone = normalizePhone(to, known.settings.country)
  if (phone === null) throw new NoCopy('wrong_address', `${to} is no phone number, and the campaign sends text messages.`)
  return { kind: 'phone', value: phone }
}

type Resolving = Readonly<{ stores: Stores; commands: CommandRunner }>

const recipientOf = async (
  { stores: { keyRing }, commands }: Resolving,
  context: AppendContext,
  { kind, value }: Address,
): Promise<ContactId> => {
  const contacts = createUniqueContacts({
    runner: commands,
    claimDigest: keyRing.claimDigest,
    olderDigests: keyRing.olderClaimDigests,
    createKey: (workspaceId, contactId) => keyRing.newKeyFor(workspaceId, contactSubject({ contactId })),
  })
  const own = { ...context, commandId: uuidv7() }
  const { contactId } = await contacts.resolveOrCreate({ context: own, [kind]: value, details: {}, source: 'campaign_test' })
  return contactId
}

type Accepting = Readonly<{
  workspaceId: WorkspaceId
  contactId: ContactId
  ofContact: ContactId
  to: string
  copy: CampaignCopy
}>

/** Marked, and of no campaign. */
const accepting = async (stores: Stores, { workspaceId, contactId, ofContact, to, copy }: Accepting): Promise<MessageCommand> => {
  const recipient = { contactId, to, kind: 'transactional' } as const
  if (!('content' in copy)) {
    const body = `${MARK}${copy.accept.data.body}`
    const price = { credits: smsCredits(body), segments: smsSegments(body) }
    return { type: 'AcceptSms', data: { ...copy.accept.data, ...recipient, body, ...price } }
  }
  const content = { ...copy.content, subject: `${MARK}${copy.content.subject}` }
  const location = await located(stores, { workspaceId, content, contactId, ofContact })
  return { type: 'AcceptEmail', data: { ...copy.accept.data, ...recipient, ...location } }
}

type ContentToPut = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; ofContact: ContactId; content: EmailContent }>

/** The row beside the event, if the copy is about another contact: the recipient's key seals the event. */
const located = async (
  { pool, keyRing }: Stores,
  { workspaceId, contactId, ofContact, content }: ContentToPut,
): Promise<ContentLocation> => {
  const contents = contentStore<EmailContent>({ pool, keyRing })
  const subject = contactSubject({ contactId: ofContact })
  if (ofContact === contactId) return await putContent(contents, { workspaceId, subject, content })
  return { content: null, contentId: await contents.put(workspaceId, subject, content) }
}
