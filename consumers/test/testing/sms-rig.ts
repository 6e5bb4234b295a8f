import {
  asContactId,
  asMessageId,
  type ContactId,
  contact,
  contactStream,
  type MessageId,
  message,
  messageStream,
  type SenderIdsCommand,
  type SmsAccepted,
  type SuppressionReason,
  senderIds,
  senderIdsStream,
  wallet,
  walletStream,
} from '@tidings/domain'
import { readStatement, verifyWallet } from '@tidings/wallet'
import { type Rig, WORKSPACE } from './rig.ts'

export const SENDER = 'ACME'
export const NUMBER = '+972541234567'

type Sms = Partial<Pick<SmsAccepted['data'], 'to' | 'from' | 'body' | 'credits'>>

/** The actions of tests of text messages with a rig. */
export type SmsRig = Readonly<{
  addCredits: (amount: number) => Promise<void>
  decideSender: (command: SenderIdsCommand) => Promise<void>
  newContact: (phone: string, suppressed?: readonly SuppressionReason[]) => Promise<ContactId>
  accept: (contactId: ContactId, sms?: Sms, kind?: 'transactional' | 'marketing') => Promise<string>
  /** Fails where the wallet does not add up. */
  credits: () => Promise<Readonly<{ balance: number; held: number }>>
  /** What the statement has of the message, in its order. */
  paymentsOf: (messageId: MessageId) => Promise<readonly string[]>
}>

const context = (commandId: string = crypto.randomUUID()) => ({
  commandId,
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'req-1',
  at: new Date().toISOString(),
})

export function createSmsRig({ log, runner }: Pick<Rig, 'log' | 'runner'>): SmsRig {
  return {
    addCredits: async (amount) => {
      const command = { type: 'AddCredits', data: { commandId: crypto.randomUUID(), amount, note: null } } as const
      await runner.execute({ decider: wallet, stream: walletStream(WORKSPACE), command, context: context() })
    },
    decideSender: async (command) => {
      await runner.execute({ decider: senderIds, stream: senderIdsStream(WORKSPACE), command, context: context() })
    },
    newContact: async (phone, suppressed = []) => {
      const contactId = asContactId(crypto.randomUUID())
      const stream = contactStream(WORKSPACE, contactId)
      const data = { contactId, phone: { value: phone, claimId: crypto.randomUUID() }, details: {}, source: 'test' }
      await runner.execute({ decider: contact, stream, command: { type: 'CreateContact', data }, context: context() })
      for (const reason of suppressed) {
        const command = { type: 'SuppressContact', data: { contactId, channels: ['sms'], reason } } as const
        await runner.execute({ decider: contact, stream, command, context: context() })
      }
      return contactId
    },
    accept: async (contactId, { to = NUMBER, from = SENDER, body = 'Hi', credits = 1 } = {}, kind = 'transactional') => {
      const messageId = asMessageId(crypto.randomUUID())
      const data = { messageId, contactId, to, from, body, credits, segments: 1, templateId: null, kind } as const
      const stream = messageStream(WORKSPACE, messageId)
      await runner.execute({ decider: message, stream, command: { type: 'AcceptSms', data }, context: context(messageId), isNew: true })
      return messageId
    },
    credits: async () => {
      const { ok, problems, balance, held } = await verifyWallet(log, WORKSPACE)
      if (!ok) throw new Error(`the wallet does not add up: ${JSON.stringify(problems)}`)
      return { balance, held }
    },
    paymentsOf: async (messageId) => {
      const entries: string[] = []
      for await (const entry of readStatement(log, WORKSPACE)) if (entry.messageId === messageId) entries.push(entry.entry)
      return entries
    },
  }
}
