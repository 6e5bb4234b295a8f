import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DatedMessageEvent, type EngagementCommand, engagement } from '../../src/engagement/engagement.ts'
import { asContactId } from '../../src/ids.ts'
import { asCampaignId, asMessageId } from '../../src/index.ts'

const { given } = specFor(engagement)

const of = { messageId: asMessageId('m'), contactId: asContactId('c'), channel: 'email' } as const
const accepted: DatedMessageEvent = {
  type: 'EmailAccepted',
  data: {
    ...of,
    to: 'ada@example.com',
    fromEmail: 'shop@example.com',
    fromName: null,
    replyTo: null,
    content: null,
    contentId: null,
    templateId: null,
    kind: 'marketing',
  },
}
const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 21, 10, 0, 0) + seconds * 1_000).toISOString()
const sent: DatedMessageEvent = {
  type: 'MessageSent',
  data: { ...of, provider: 'smtp', providerMessageId: '1' },
  meta: { at: at(0) },
}
const delivered: DatedMessageEvent = { type: 'MessageDelivered', data: of, meta: { at: at(0) } }

const open = (seconds: number, machine = false): EngagementCommand => ({ type: 'RecordOpen', data: { at: at(seconds), machine } })
const click = (seconds: number, machine = false): EngagementCommand => ({
  type: 'RecordClick',
  data: { at: at(seconds), machine, link: 0, url: 'https://shop.example/' },
})
const opened = (machine = false): DatedMessageEvent => ({ type: 'EmailOpened', data: { ...of, machine } })
const clicked = (machine = false): DatedMessageEvent => ({
  type: 'EmailClicked',
  data: { ...of, machine, link: 0, url: 'https://shop.example/' },
})

it('nothing becomes of a mail that was never accepted', () => {
  given().when(open(10)).thenRefused('message_not_found')
  given().when(click(10)).thenRefused('message_not_found')
})

describe('an open', () => {
  it('counts once', () => given(accepted, sent).when(open(10)).thenEvents(opened()))

  it('of a mail of a campaign says which', () => {
    const campaign = { campaignId: asCampaignId('k'), variant: 0 }
    const event = { type: 'EmailAccepted', data: { ...accepted.data, campaign } } as DatedMessageEvent
    given(event, sent)
      .when(open(10))
      .thenEvents({ type: 'EmailOpened', data: { ...of, machine: false, campaign: campaign } })
  })

  it('by a machine is no first open, and is kept once too', () => {
    given(accepted, sent).when(open(10, true)).thenEvents(opened(true))
    given(accepted, sent, opened(true)).when(open(10)).thenEvents(opened())
    given(accepted, sent, opened()).when(open(10, true)).thenEvents(opened(true))
  })

  it('within two seconds of the acceptance by the provider is a machine, whatever it says it is', () => {
    given(accepted, sent).when(open(2)).thenEvents(opened(true))
    given(accepted, sent).when(open(2.001)).thenEvents(opened())
    given(accepted, sent).when(open(-5)).thenEvents(opened(true))
    given(accepted).when(open(3_600)).thenEvents(opened(true))
  })

  it('of a mail whose receipt overtook the answer of the provider is measured by the receipt', () => {
    given(accepted, delivered, { ...sent, meta: { at: at(60) } })
      .when(open(10))
      .thenEvents(opened())
  })
})

describe('a click', () => {
  it('counts each time', () => given(accepted, sent).when(click(10)).thenEachTime([clicked()], [clicked()]))

  it('by a machine, or too soon, is recorded as by a machine', () => {
    given(accepted, sent)
      .when(click(10, true))
      .thenEachTime([clicked(true)], [clicked(true)])
    given(accepted, sent)
      .when(click(1))
      .thenEachTime([clicked(true)], [clicked(true)])
  })

  it('counts a hundred times, and ten of machines', () => {
    const many = (count: number, machine: boolean) => Array.from({ length: count }, () => clicked(machine))
    given(accepted, sent, ...many(100, false))
      .when(click(10))
      .thenNothing()
    given(accepted, sent, ...many(10, true))
      .when(click(10, true))
      .thenNothing()
    given(accepted, sent, ...many(10, true))
      .when(click(10))
      .thenEachTime([clicked()], [clicked()])
  })
})

it('after any number of opens and clicks the stream stays short and has at most one first open', () => {
  const command = fc.record({ what: fc.constantFrom(open, click), seconds: fc.integer({ min: 0, max: 5 }), machine: fc.boolean() })
  fc.assert(
    fc.property(fc.array(command, { minLength: 200, maxLength: 400 }), (commands) => {
      const events: DatedMessageEvent[] = [accepted, sent]
      let state = events.reduce(engagement.evolve, engagement.initialState)
      for (const { what, seconds, machine } of commands) {
        const more = engagement.decide(what(seconds, machine), state)
        state = more.reduce(engagement.evolve, state)
        events.push(...more)
      }
      expect(events.length).toBeLessThanOrEqual(2 + 2 + 110)
      expect(events.filter((event) => event.type === 'EmailOpened' && !event.data.machine).length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 20 },
  )
})

describe('a notification', () => {
  const pushed = { ...of, channel: 'push' } as const
  const shown: DatedMessageEvent = {
    type: 'PushAccepted',
    data: { ...pushed, title: 'Hi', body: 'Ada', url: 'https://shop.example/', icon: null, templateId: null, kind: 'marketing' },
  }

  it('may be clicked at once, and the click is its own kind', () => {
    const clickedIt: DatedMessageEvent = { type: 'PushClicked', data: { ...pushed, machine: false, url: 'https://shop.example/' } }
    given(shown, sent).when(click(0)).thenEachTime([clickedIt], [clickedIt])
    given(shown)
      .when(click(0, true))
      .thenEachTime(
        [{ ...clickedIt, data: { ...clickedIt.data, machine: true } }],
        [{ ...clickedIt, data: { ...clickedIt.data, machine: true } }],
      )
  })
})
