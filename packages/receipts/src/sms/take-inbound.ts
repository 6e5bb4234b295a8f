import { dialledNumber, phoneBeside } from '@tidings/addresses'
import { type AppendContext, SubjectErased, uuidv5 } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import {
  asMessageId,
  type ContactId,
  contact,
  contactStream,
  keywordForm,
  message,
  messageStream,
  Refused,
  type SmsKeyword,
  smsCredits,
  smsKeyword,
  smsSegments,
  type UnsubscribedBy,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { type FindingAddressee, findAddressee, numberOf } from './find-addressee.ts'
import type { Addressee, TakenSms } from './inbound.ts'

/** `showsAll`: true once the read side shows every message that the log had when it was first asked about the text of that id. */
export type TakingInbound = FindingAddressee &
  Readonly<{
    runner: CommandExecutor & StateLoader
    /** Nothing is known against the number any more: `liftFacts` of `@tidings/unique-contacts`. */
    liftFacts: (request: Readonly<{ context: AppendContext; email: null; phone: string }>) => Promise<void>
    showsAll: (id: string) => Promise<boolean>
    /** Whether the contact withdrew its consent to text messages after that moment: of a text that is decided later than it came. */
    withdrawnSince?: (of: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; at: string }>) => Promise<boolean>
  }>

/** `other`: the text asks for nothing. `unknown`: it is for no workspace, or for one without such a contact. `behind`: not known until the read side has caught up. `late`: a START that a later withdrawal has overtaken. */
export type InboundOutcome = SmsKeyword | 'other' | 'unknown' | 'behind' | 'late'

/**
 * Takes a text message that a person sent (N188, M49). STOP and START are recorded with the contact, once a message; what the workspace
 * answers goes out as a message of its own. Nothing is kept of any other text. Its owner is decided for good: only on a read side that
 * shows every text that was accepted before it came (M44), so that it is asked for again until then.
 */
export async function takeInbound(taking: TakingInbound, sms: TakenSms): Promise<InboundOutcome> {
  const asking = askingNumber(sms)
  if (!('number' in asking)) return asking.outcome
  const known = sms.keyword ?? smsKeyword(sms.body)
  if (!(await taking.showsAll(sms.id))) return 'behind'
  const recipient = await findAddressee(taking, asking.number, sms.to)
  if (recipient === null) return known === null ? 'other' : 'unknown'
  const keyword = await keywordFor(taking, sms, recipient)
  if (keyword === null) return 'other'
  if (keyword === 'start' && (await taking.withdrawnSince?.({ ...recipient, at: sms.at }))) return 'late'
  if (keyword !== 'help' && !(await noteReply(taking, { sms, recipient, reply: keyword }))) return 'unknown'
  await answerKeyword(taking.runner, { sms, recipient, keyword })
  return keyword
}

/**
 * The number that a text is from which may ask for something, in E.164 or as it is dialled inside a country that the text does not tell, and whether it
 * says STOP; null where only its workspace's words tell. Else what becomes of it.
 */
type TextRecipient = Readonly<{ number: string; isStop: boolean | null }> | Readonly<{ outcome: 'other' | 'unknown' }>

/** Decides by the text alone. */
export function askingNumber(sms: TakenSms): TextRecipient {
  const known = sms.keyword ?? smsKeyword(sms.body)
  // A text that is too long, or only signs, is no workspace's word.
  if (known === null && keywordForm(sms.body) === '') return { outcome: 'other' }
  // The number is read as it is dialled in the country of the number that the text is to.
  const number = numberOf(sms.from) ?? phoneBeside(sms.from, numberOf(sms.to) ?? '') ?? dialledNumber(sms.from)
  return number === null ? { outcome: 'unknown' } : { number, isStop: known === null ? null : known === 'stop' }
}

/** What the text asks of the workspace; its own words, and the gateway's reading, withdraw whatever else it could mean. */
async function keywordFor({ runner }: TakingInbound, sms: TakenSms, { workspaceId }: Addressee): Promise<SmsKeyword | null> {
  const { state } = await runner.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const said = smsKeyword(sms.body, state.stopWords)
  return said === 'stop' ? said : (sms.keyword ?? said)
}

type Reply = Readonly<{ sms: TakenSms; recipient: Addressee; reply: 'stop' | 'start' }>

/** False where the contact is gone. */
async function noteReply(taking: TakingInbound, { sms, recipient, reply }: Reply): Promise<boolean> {
  try {
    await record(taking, { sms, recipient, reply }, `sms:${sms.id}`)
    if (sms.isIdGuessed && reply === 'stop') await recordLaterStop(taking, { sms, recipient, reply })
    return true
  } catch (error) {
    if (error instanceof SubjectErased || (error instanceof Refused && error.code === 'contact_not_found')) return false
    throw error
  }
}

/** A STOP behind a START that came behind another STOP of the same minute has that one's id. A START in its place stays unrecorded. */
async function recordLaterStop(taking: TakingInbound, said: Reply): Promise<void> {
  const { workspaceId, contactId } = said.recipient
  const { state, revision } = await taking.runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  if (state.consents.sms === 'subscribed') await record(taking, said, `sms:${said.sms.id}.${revision}`)
}

async function record(taking: TakingInbound, { sms, recipient, reply }: Reply, commandId: string): Promise<void> {
  const { workspaceId, contactId, phone } = recipient
  const context = { commandId, workspaceId, actor: 'contact', requestId: sms.requestId, at: sms.at }
  // A person who answers can be reached at this number (M45).
  if (reply === 'start') await taking.liftFacts({ context, email: null, phone })
  await taking.runner.execute({
    decider: contact,
    stream: contactStream(workspaceId, contactId),
    command: { type: 'NoteSmsReply', data: { contactId, phone, reply, message: await answered(taking, recipient) } },
    context,
  })
}

/** A reply is to the last message. */
async function answered({ runner }: TakingInbound, { workspaceId, messageId }: Addressee): Promise<UnsubscribedBy | null> {
  if (messageId === null) return null
  const { state } = await runner.load({ decider: message, stream: messageStream(workspaceId, messageId), workspaceId })
  return { messageId, campaign: state.campaign }
}

type KeywordText = Readonly<{ sms: TakenSms; recipient: Addressee; keyword: SmsKeyword }>

/** A keyword of a contact is answered once in this time, counted from the full hour. */
const ANSWER_MS = 10 * 60_000

/**
 * Accepts the workspace's answer to a keyword, if it has one: a transactional text from the sender that the person wrote to. Its id is
 * made of the contact, the keyword and the ten minutes, so a repetition is the same message, in whatever process.
 */
async function answerKeyword(runner: CommandExecutor & StateLoader, asked: KeywordText): Promise<void> {
  const { sms, recipient, keyword } = asked
  const { workspaceId, contactId, phone, sender } = recipient
  const { state } = await runner.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const body = state.smsReplies[keyword]
  if (body === null || state.status !== 'active') return
  const messageId = asMessageId(uuidv5(`sms answer|${contactId}|${keyword}|${Math.floor(Date.parse(sms.at) / ANSWER_MS)}`, workspaceId))
  const content = { body, credits: smsCredits(body), segments: smsSegments(body), templateId: null, kind: 'transactional' as const }
  try {
    await runner.execute({
      decider: message,
      stream: messageStream(workspaceId, messageId),
      command: { type: 'AcceptSms', data: { messageId, contactId, to: phone, from: sender, ...content } },
      context: { commandId: messageId, workspaceId, actor: 'contact', requestId: sms.requestId, at: sms.at },
    })
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
  }
}
