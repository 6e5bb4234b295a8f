import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { asContactId } from '../../src/ids.ts'
import { asMessageId, asTemplateId } from '../../src/index.ts'
import type { MessageEvent, PushAccepted, PushAttempted } from '../../src/message/message.events.ts'
import { isToSend, message } from '../../src/message/message.ts'
import type { RecordPushAttempt } from '../../src/message/message-commands.ts'

const { given } = specFor(message)

const of = { messageId: asMessageId('m'), contactId: asContactId('c'), channel: 'push' } as const
const { channel: _, ...accepting } = {
  ...of,
  title: 'Hi',
  body: 'Ada',
  url: null,
  icon: null,
  templateId: asTemplateId('t'),
  kind: 'marketing' as const,
}
const accepted: PushAccepted = { type: 'PushAccepted', data: { ...accepting, channel: 'push' } }
type Answers = Pick<PushAttempted['data'], 'accepted' | 'refused' | 'waiting'>
const answers = (data: Partial<Answers>): Answers => ({ accepted: [], refused: [], waiting: [], ...data })
const attempt = (data: Partial<Answers>, providerMessageId: string | null = null): RecordPushAttempt => ({
  type: 'RecordPushAttempt',
  data: { ...answers(data), provider: 'web-push', providerMessageId },
})
const attempted = (data: Partial<Answers>): MessageEvent => ({ type: 'PushAttempted', data: { ...of, ...answers(data) } })
const sent: MessageEvent = { type: 'MessageSent', data: { ...of, provider: 'web-push', providerMessageId: 'id' } }
const toSend = (...past: readonly MessageEvent[]): boolean => isToSend(past.reduce(message.evolve, message.initialState))

describe('a push', () => {
  it('is accepted once', () => {
    given().when({ type: 'AcceptPush', data: accepting }).thenEvents(accepted)
  })

  it('is sent when the first browser has it, while others are tried again', () => {
    const one = { accepted: ['a'], waiting: ['b'] }
    given(accepted).when(attempt(one, 'id')).thenEvents(attempted(one), sent)
    given(accepted, attempted(one), sent)
      .when(attempt({ accepted: ['b'] }, 'other'))
      .thenEvents(attempted({ accepted: ['b'] }))
  })

  it('stays queued while a browser that did not refuse it is tried again', () => {
    const none = { refused: ['a'], waiting: ['b'] }
    given(accepted).when(attempt(none)).thenEvents(attempted(none))
    given(accepted, attempted(none))
      .when({ type: 'RecordSent', data: { provider: 'web-push', providerMessageId: 'id' } })
      .thenEvents(sent)
  })

  it('is tried no more once it is over', () => {
    given(accepted, sent)
      .when(attempt({ accepted: ['b'] }))
      .thenNothing()
    given(accepted, { type: 'MessageFailed', data: { ...of, reason: 'undeliverable', detail: null } })
      .when(attempt({ waiting: ['b'] }))
      .thenNothing()
  })

  it('has something left to do while it is queued or a browser waits', () => {
    expect(toSend(accepted)).toBe(true)
    expect(toSend(accepted, sent)).toBe(false)
    expect(toSend(accepted, attempted({ accepted: ['a'], waiting: ['b'] }), sent)).toBe(true)
    expect(toSend(accepted, attempted({ accepted: ['a'], waiting: ['b'] }), sent, attempted({ refused: ['b'] }))).toBe(false)
    expect(toSend(accepted, attempted({ waiting: ['b'] }), { type: 'MessageSkipped', data: { ...of, reason: 'no_consent' } })).toBe(false)
  })
})
