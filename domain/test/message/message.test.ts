import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asContactId } from '../../src/ids.ts'
import { asCampaignId, asMessageId, asVerificationId } from '../../src/index.ts'
import { type EmailAccepted, type MessageEvent, messageDeclarations, type SmsAccepted } from '../../src/message/message.events.ts'
import { type MessageStatus, message } from '../../src/message/message.ts'
import type { MessageCommand } from '../../src/message/message-commands.ts'

const { given } = specFor(message)

const of = { messageId: asMessageId('m'), contactId: asContactId('c'), channel: 'email' } as const
const { channel: _, ...accepting } = {
  ...of,
  to: 'ada@example.com',
  fromEmail: 'shop@example.com',
  fromName: null,
  replyTo: null,
  content: { subject: 's', html: 'h', text: null },
  contentId: null,
  templateId: null,
  kind: 'transactional' as const,
}
const accepted: EmailAccepted = { type: 'EmailAccepted', data: { ...accepting, channel: 'email' } }

const sent: MessageEvent = { type: 'MessageSent', data: { ...of, provider: 'smtp', providerMessageId: '1' } }
const delivered: MessageEvent = { type: 'MessageDelivered', data: of }
const bounced: MessageEvent = { type: 'MessageBounced', data: { ...of, reason: 'hard_bounce', hard: true, detail: '550' } }
const complained: MessageEvent = { type: 'MessageComplained', data: of }
const failed: MessageEvent = { type: 'MessageFailed', data: { ...of, reason: 'provider_rejected', detail: null } }
const suppressed: MessageEvent = { type: 'MessageSuppressed', data: { ...of, reason: 'hard_bounce' } }
const doubted: MessageEvent = { type: 'MessageUnconfirmed', data: { ...of, provider: 'smtp' } }
const skipped: MessageEvent = { type: 'MessageSkipped', data: { ...of, reason: 'no_consent' } }

const send: MessageCommand = { type: 'RecordSent', data: { provider: 'smtp', providerMessageId: '1' } }
const deliver: MessageCommand = { type: 'RecordDelivered', data: {} }
const bounceData = { reason: 'hard_bounce', hard: true, detail: '550' } as const
const bounce: MessageCommand = { type: 'RecordBounced', data: bounceData }
const complain: MessageCommand = { type: 'RecordComplained', data: {} }
const fail: MessageCommand = { type: 'RecordFailed', data: { reason: 'provider_rejected', detail: null } }
const suppress: MessageCommand = { type: 'RecordSuppressed', data: { reason: 'hard_bounce' } }
const doubt: MessageCommand = { type: 'RecordUnconfirmed', data: { provider: 'smtp' } }
const skip: MessageCommand = { type: 'RecordSkipped', data: { reason: 'no_consent' } }

/** The event ends the move; given again, a receipt is kept once as a repetition, with what the provider said. */
const ignored = (receipt: 'delivered' | 'bounced' | 'complained' | 'failed'): MessageEvent => ({
  type: 'MessageReceiptIgnored',
  data: { ...of, receipt, facts: receipt === 'bounced' ? bounce.data : receipt === 'failed' ? fail.data : null },
})

it('a message is accepted once', () => {
  given().when({ type: 'AcceptEmail', data: accepting }).thenEvents(accepted)
  given(accepted, sent).when({ type: 'AcceptEmail', data: accepting }).thenNothing()
})

describe('a text message', () => {
  const ofSms = { messageId: asMessageId('m'), contactId: asContactId('c'), channel: 'sms' } as const
  const { channel: _sms, ...acceptingSms } = {
    ...ofSms,
    to: '+972501234567',
    from: 'ACME',
    body: 'Order 7 is ready',
    credits: 1,
    segments: 1,
    templateId: null,
    kind: 'transactional' as const,
  }
  const smsAccepted: SmsAccepted = { type: 'SmsAccepted', data: { ...acceptingSms, channel: 'sms' } }
  const smsSent: MessageEvent = { type: 'MessageSent', data: { ...ofSms, provider: 'twilio', providerMessageId: 'SM1' } }
  const unreachable = { reason: 'undeliverable', detail: '30005' } as const

  it('is accepted once', () => {
    given().when({ type: 'AcceptSms', data: acceptingSms }).thenEvents(smsAccepted)
    given(smsAccepted, smsSent).when({ type: 'AcceptSms', data: acceptingSms }).thenNothing()
  })

  it('is skipped when the credits ran out, and fails when its sender was revoked', () => {
    given(smsAccepted)
      .when({ type: 'RecordSkipped', data: { reason: 'insufficient_credits' } })
      .thenEvents({ type: 'MessageSkipped', data: { ...ofSms, reason: 'insufficient_credits' } })
    const revoked: MessageEvent = { type: 'MessageFailed', data: { ...ofSms, reason: 'sender_id_not_approved', detail: null } }
    expect(
      message.decide(
        { type: 'RecordFailed', data: { reason: 'sender_id_not_approved', detail: null } },
        message.evolve(message.initialState, smsAccepted),
      ),
    ).toEqual([revoked])
  })

  it('is sent by what the provider reports, where its answer is missing', () => {
    const confirm: MessageCommand = { type: 'ConfirmSent', data: { provider: 'twilio', providerMessageId: 'SM1' } }
    const smsDoubted: MessageEvent = { type: 'MessageUnconfirmed', data: { ...ofSms, provider: 'twilio' } }
    const smsFailed: MessageEvent = { type: 'MessageFailed', data: { ...ofSms, ...unreachable } }
    given(smsAccepted).when(confirm).thenEvents(smsSent)
    given(smsAccepted, smsDoubted).when(confirm).thenEvents(smsSent)
    given(smsAccepted, smsSent).when(confirm).thenNothing()
    given(smsAccepted, smsFailed).when(confirm).thenNothing()
  })

  it('is delivered or fails by a receipt, and stays what the first one said', () => {
    const smsDelivered: MessageEvent = { type: 'MessageDelivered', data: ofSms }
    const smsFailed: MessageEvent = { type: 'MessageFailed', data: { ...ofSms, ...unreachable } }
    const late: MessageEvent = { type: 'MessageReceiptIgnored', data: { ...ofSms, receipt: 'failed', facts: unreachable } }
    given(smsAccepted, smsSent).when({ type: 'RecordFailed', data: unreachable }).thenEachTime([smsFailed], [late])
    given(smsAccepted, smsSent, smsDelivered).when({ type: 'RecordFailed', data: unreachable }).thenEvents(late)
  })
})

describe('a passcode', () => {
  const accepting = {
    messageId: asMessageId('m'),
    channel: 'voice',
    verificationId: asVerificationId('v'),
    to: '+972501234567',
    from: 'ACME',
    credits: 2,
    segments: 2,
  } as const
  const accepted: MessageEvent = { type: 'PasscodeAccepted', data: { ...accepting, contactId: null } }
  const ofCall = { messageId: asMessageId('m'), contactId: null, channel: 'voice' } as const

  it('is accepted once, for no contact', () => {
    given().when({ type: 'AcceptPasscode', data: accepting }).thenEvents(accepted)
  })

  it('moves as every message does, in events that name no contact', () => {
    const late: MessageEvent = { type: 'MessageReceiptIgnored', data: { ...ofCall, receipt: 'delivered', facts: null } }
    given(accepted)
      .when(deliver)
      .thenEachTime([{ type: 'MessageDelivered', data: ofCall }], [late])
    given(accepted)
      .when({ type: 'RecordSkipped', data: { reason: 'insufficient_credits' } })
      .thenEvents({ type: 'MessageSkipped', data: { ...ofCall, reason: 'insufficient_credits' } })
  })

  it('is sent by its answer alone', () => {
    given(accepted)
      .when({ type: 'ConfirmSent', data: { provider: 'twilio', providerMessageId: 'CA1' } })
      .thenNothing()
  })

  it('is the data subject of everything that a provider says about it', () => {
    const failed = { ...ofCall, reason: 'provider_unavailable', detail: 'busy' } as const
    expect(messageDeclarations.MessageFailed.personal.subject(failed)).toBe('passcode:m')
    expect(messageDeclarations.MessageFailed.personal.subject({ ...failed, contactId: asContactId('c') })).toBe('contact:c')
  })
})

it('every event of a message of a campaign says which', () => {
  const campaign = { campaignId: asCampaignId('k'), variant: 1 }
  const ofCampaign: MessageEvent = { ...accepted, data: { ...accepted.data, campaign: campaign } }
  given()
    .when({ type: 'AcceptEmail', data: { ...accepting, campaign } })
    .thenEvents(ofCampaign)
  given(ofCampaign)
    .when(send)
    .thenEvents({ ...sent, data: { ...sent.data, campaign: campaign } })
  given(ofCampaign)
    .when(skip)
    .thenEvents({ ...skipped, data: { ...skipped.data, campaign: campaign } })
})

it('nothing becomes of a message that was never accepted', () => {
  for (const command of [send, doubt, deliver, bounce, complain, fail, suppress, skip])
    given().when(command).thenRefused('message_not_found')
})

describe('a queued message', () => {
  it('is sent when the provider took it', () => given(accepted).when(send).thenEvents(sent))

  it('is not sent because of its recipient, or of the moment', () => {
    given(accepted).when(suppress).thenEvents(suppressed)
    given(accepted).when(skip).thenEvents(skipped)
  })

  it('may have been taken by a provider that did not answer: that is kept once, and it stays queued', () => {
    given(accepted).when(doubt).thenEvents(doubted)
    given(accepted, doubted).when(doubt).thenNothing()
    given(accepted, doubted).when(send).thenEvents(sent)
    expect([accepted, doubted].reduce(message.evolve, message.initialState)).toMatchObject({ status: 'queued', unconfirmed: true })
  })

  it('fails for good', () =>
    given(accepted)
      .when(fail)
      .thenEachTime([failed], [ignored('failed')]))

  it('is delivered by a receipt that overtakes the answer of the provider, whose id is kept all the same', () => {
    given(accepted)
      .when(deliver)
      .thenEachTime([delivered], [ignored('delivered')])
    given(accepted, delivered).when(send).thenEvents(sent)
    expect([accepted, delivered, sent].reduce(message.evolve, message.initialState)).toMatchObject({
      status: 'delivered',
      providerMessageId: '1',
    })
  })

  it('bounces when the receiving server refuses it', () =>
    given(accepted)
      .when(bounce)
      .thenEachTime([bounced], [ignored('bounced')]))
})

describe('a sent message', () => {
  it('is delivered, bounces, is complained about or fails', () => {
    given(accepted, sent)
      .when(deliver)
      .thenEachTime([delivered], [ignored('delivered')])
    given(accepted, sent)
      .when(bounce)
      .thenEachTime([bounced], [ignored('bounced')])
    given(accepted, sent)
      .when(complain)
      .thenEachTime([complained], [ignored('complained')])
    given(accepted, sent)
      .when(fail)
      .thenEachTime([failed], [ignored('failed')])
  })

  it('can no longer be suppressed', () => {
    given(accepted, sent).when(suppress).thenNothing()
    given(accepted, sent).when(skip).thenNothing()
    given(accepted, sent).when(doubt).thenNothing()
  })
})

describe('a late receipt', () => {
  it('never moves the status back, and is kept', () => {
    given(accepted, sent, bounced).when(deliver).thenEvents(ignored('delivered'))
    given(accepted, sent, delivered).when(fail).thenEvents(ignored('failed'))
    given(accepted, sent, complained).when(bounce).thenEvents(ignored('bounced'))
    given(accepted, suppressed).when(deliver).thenEvents(ignored('delivered'))
  })

  it('of a hard bounce is news after a soft one, whatever the status is, and each is kept once', () => {
    const soft: MessageCommand = { type: 'RecordBounced', data: { reason: 'soft_bounce', hard: false, detail: null } }
    const keptSoft: MessageEvent = { type: 'MessageReceiptIgnored', data: { ...of, receipt: 'bounced', facts: soft.data } }
    for (const past of [failed, suppressed, skipped, complained]) {
      given(accepted, past).when(soft).thenEvents(keptSoft)
      given(accepted, past, keptSoft).when(bounce).thenEvents(ignored('bounced'))
      given(accepted, past, ignored('bounced')).when(soft).thenEvents(keptSoft)
    }
  })

  it('of a complaint or a hard bounce is kept after every final status', () => {
    for (const past of [failed, suppressed, skipped]) {
      given(accepted, past).when(complain).thenEvents(ignored('complained'))
      given(accepted, past).when(bounce).thenEvents(ignored('bounced'))
    }
  })

  it('is kept once of each kind, however often it comes', () => {
    given(accepted, sent, bounced, ignored('delivered')).when(deliver).thenNothing()
  })

  it('of a complaint still counts after a bounce', () => {
    given(accepted, sent, bounced)
      .when(complain)
      .thenEachTime([complained], [ignored('complained')])
  })
})

describe('a receipt of a message that was readdressed', () => {
  const readdressed = (to: string): MessageEvent => ({ type: 'MessageReaddressed', data: { ...of, to } })
  const history = [accepted, readdressed('b@example.com'), readdressed('c@example.com')] as const
  const naming = (...named: string[]): MessageCommand => ({ type: 'RecordBounced', data: { ...bounceData, named } })
  const about = (address: number): MessageEvent => ({
    type: 'MessageReceiptIgnored',
    data: { ...of, receipt: 'bounced', facts: bounceData, address },
  })

  it('moves the status where it names the address that the message is for, none, or a stranger’s', () => {
    const reports = [['c@example.com'], ['ada@example.com', 'c@example.com'], [], ['forwarded@example.net']].map((named) =>
      naming(...named),
    )
    for (const report of [...reports, bounce])
      given(...history, sent)
        .when(report)
        .thenEachTime([bounced], [ignored('bounced')])
  })

  it('is kept, once for each address, where it names one that it was readdressed from', () => {
    for (const status of [[], [sent], [sent, delivered]]) {
      given(...history, ...status)
        .when(naming('ada@example.com'))
        .thenEvents(about(0))
      given(...history, ...status, about(0))
        .when(naming('b@example.com'))
        .thenEvents(about(1))
      given(...history, ...status, about(0))
        .when(naming('ada@example.com'))
        .thenNothing()
    }
    given(...history, sent)
      .when({ type: 'RecordDelivered', data: { named: ['b@example.com'] } })
      .thenEvents({ type: 'MessageReceiptIgnored', data: { ...of, receipt: 'delivered', facts: null, address: 1 } })
  })

  it('does not make it sent', () => {
    const confirm = (named: string): MessageCommand => ({
      type: 'ConfirmSent',
      data: { provider: 'smtp', providerMessageId: '1', named: [named] },
    })
    given(...history)
      .when(confirm('ada@example.com'))
      .thenNothing()
    given(...history)
      .when(confirm('c@example.com'))
      .thenEvents(sent)
  })
})

describe('whatever happens in whatever order,', () => {
  const rank: Readonly<Record<MessageStatus, number>> = {
    queued: 0,
    sent: 1,
    delivered: 2,
    bounced: 3,
    complained: 4,
    failed: 5,
    suppressed: 5,
    skipped: 5,
  }
  const soft: MessageCommand = { type: 'RecordBounced', data: { reason: 'soft_bounce', hard: false, detail: null } }
  const commands = fc.array(fc.constantFrom(send, doubt, deliver, bounce, soft, complain, fail, suppress, skip), { maxLength: 30 })

  it('the status never goes back, and the stream stays short', () => {
    fc.assert(
      fc.property(commands, (all) => {
        let state = message.evolve(message.initialState, accepted)
        let length = 1
        for (const command of all) {
          const before = state.status
          const events = message.decide(command, state)
          state = events.reduce(message.evolve, state)
          length += events.length
          expect(rank[state.status as MessageStatus]).toBeGreaterThanOrEqual(rank[before as MessageStatus])
        }
        expect(length).toBeLessThanOrEqual(11)
      }),
    )
  })
})
