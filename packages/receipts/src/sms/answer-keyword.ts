import { SubjectErased, uuidv5 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { asMessageId, message, messageStream, type SmsKeyword, smsCredits, smsSegments, workspace, workspaceStream } from '@tidings/domain'
import type { Addressee, TakenSms } from './inbound.ts'

type KeywordText = Readonly<{ sms: TakenSms; recipient: Addressee; keyword: SmsKeyword }>

/** A keyword of a contact is answered once in this time, counted from the full hour. */
const ANSWER_MS = 10 * 60_000

/**
 * Accepts the workspace's answer to a keyword, if it has one: a transactional text from the sender that the person wrote to. Its id is
 * made of the contact, the keyword and the ten minutes, so a repetition is the same message, in whatever process.
 */
export async function answerKeyword(runner: Pick<CommandRunner, 'execute' | 'load'>, asked: KeywordText): Promise<void> {
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
