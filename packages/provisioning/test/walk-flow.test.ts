import { setImmediate } from 'node:timers/promises'
import { asTemplateId, type FlowStep, type Json, type TemplateContent } from '@tidings/domain'
import { expect, it } from 'vitest'
import { walkFlow } from '../src/walk-flow.ts'
import { type Example, walkedExample } from '../src/walked-person.ts'

const NOW = Date.parse('2026-03-03T12:00:00.000Z')
const [thanks, short, bell, gone, unsaid] = ['1', '2', '3', '4', '5'].map((n) => asTemplateId(`0192f0c1-0000-7000-8000-00000000000${n}`))
const nothing = { subject: null, html: null, text: null, body: null, push: null, fromName: null }
const contents = new Map<unknown, TemplateContent>([
  [thanks, { ...nothing, subject: 'Thanks {{firstName}} for {{sku}}', html: '<p>Hi</p>' }],
  [short, { ...nothing, body: 'Thanks {{firstName}}' }],
  [unsaid, { ...nothing, body: '{{nickname}}' }],
  [bell, { ...nothing, push: { title: 'Tea for {{firstName}}', body: 'Now', url: null, icon: null } }],
])

const email: FlowStep = { type: 'send', channel: 'email', templateId: thanks ?? gone, from: 'hello@acme.example' } as FlowStep
const sms: FlowStep = { type: 'send', channel: 'sms', templateId: short ?? gone, from: 'ACME' } as FlowStep
const push: FlowStep = { type: 'send', channel: 'push', templateId: bell ?? gone, from: null } as FlowStep
const archived: FlowStep = { ...email, templateId: gone } as FlowStep
const wait = (minutes: number): FlowStep => ({ type: 'wait', minutes })
const branch = (rule: Json, matched: readonly FlowStep[], otherwise: readonly FlowStep[] = []): FlowStep => ({
  ...{ type: 'branch', rule, matched, otherwise },
})

const ada: Example = {
  ...{ details: { firstName: 'Ada', tags: ['vip'] }, email: 'ada@acme.example', phone: '+972541234567', now: NOW },
  agrees: ['email', 'sms', 'push'],
}
const reads: unknown[] = []
const walk = (steps: readonly FlowStep[], person: Partial<Example> = {}, properties: Readonly<Record<string, Json>> = {}) =>
  walkFlow(
    {
      ...{ person: walkedExample({ ...ada, ...person }), properties, now: NOW },
      countEvents: async (names) => new Map(names.map((name) => [name, { count: 2, lastAt: NOW }])),
      template: async (id) => {
        reads.push(id)
        return contents.get(id) ?? null
      },
    },
    steps,
  )

it('walks to the end, each step at its time', async () => {
  const vip = { field: 'tags', op: 'contains', value: 'vip' }
  const { steps, ends } = await walk(
    [wait(60), branch(vip, [email, wait(1_440)], [push]), sms, push],
    {},
    { sku: 'TEA-1', firstName: 'Eve' },
  )
  expect(ends).toBe('finished')
  expect(steps).toEqual([
    { number: 0, path: 'steps[0]', at: '2026-03-03T12:00:00.000Z', outcome: { type: 'waits', minutes: 60 } },
    { number: 1, path: 'steps[1]', at: '2026-03-03T13:00:00.000Z', outcome: { type: 'branches', isMatch: true } },
    {
      ...{ number: 2, path: 'steps[1].then[0]', at: '2026-03-03T13:00:00.000Z' },
      // The person keeps the name, whatever an event says (G24).
      outcome: {
        type: 'sends',
        message: { channel: 'email', to: 'ada@acme.example', from: 'hello@acme.example', subject: 'Thanks Ada for TEA-1' },
      },
    },
    { number: 3, path: 'steps[1].then[1]', at: '2026-03-03T13:00:00.000Z', outcome: { type: 'waits', minutes: 1_440 } },
    {
      ...{ number: 5, path: 'steps[2]', at: '2026-03-04T13:00:00.000Z' },
      outcome: { type: 'sends', message: { channel: 'sms', to: '+972541234567', from: 'ACME', body: 'Thanks Ada', credits: 1 } },
    },
    {
      ...{ number: 6, path: 'steps[3]', at: '2026-03-04T13:00:00.000Z' },
      outcome: { type: 'sends', message: { channel: 'push', browsers: 1, title: 'Tea for Ada' } },
    },
  ])
})

it('ends where a message may not be sent or its template is archived, and goes on where there is no address', async () => {
  const outcomes = async (...asked: Parameters<typeof walk>) => {
    const { steps, ends } = await walk(...asked)
    return [ends, ...steps.map(({ outcome }) => outcome.type)]
  }
  expect(await outcomes([email, wait(1)], { agrees: ['sms'] })).toEqual(['no_consent', 'not_allowed'])
  expect(await outcomes([archived, wait(1)])).toEqual(['template_gone', 'template_gone'])
  expect(await outcomes([email, sms], { email: null, phone: null, agrees: [] })).toEqual(['finished', 'no_address', 'no_address'])
  expect(await outcomes([push], { agrees: [] })).toEqual(['finished', 'no_address'])
})

it('goes on from a message that cannot be made, whether or not the person may get it, as a run does', async () => {
  const untold: FlowStep = { ...sms, templateId: unsaid } as FlowStep
  const unshown: FlowStep = { ...push, templateId: thanks } as FlowStep
  for (const agrees of [['push'], ['email', 'sms', 'push']] as const) {
    const { steps, ends } = await walk([untold, unshown, wait(1)], { agrees })
    expect([ends, ...steps.map(({ outcome }) => outcome)]).toEqual([
      ...['finished', { type: 'not_rendered', code: 'content_empty' }],
      ...[
        { type: 'not_rendered', code: 'template_channel_mismatch' },
        { type: 'waits', minutes: 1 },
      ],
    ])
  }
})

it('judges a rule by the time at which the branch is come to, and by the events', async () => {
  const recent = { field: 'createdAt', op: 'within_days', value: 2 }
  const often = { field: 'event.tea.count', op: 'gte', value: 2 }
  const { steps } = await walk([branch(recent, []), wait(5 * 1_440), branch(recent, []), branch(often, [])])
  expect(steps.flatMap(({ outcome }) => (outcome.type === 'branches' ? [outcome.isMatch] : []))).toEqual([true, false, true])
})

it('renders a message once, however many steps send it', async () => {
  reads.length = 0
  const { steps } = await walk(Array.from({ length: 100 }, () => email))
  expect(steps).toHaveLength(100)
  expect(reads).toEqual([thanks])
})

it('lets others in between two messages', async () => {
  let [isWalking, rounds] = [true, 0]
  const walking = walk(Array.from({ length: 50 }, (_, n) => ({ ...email, from: `${n}@acme.example` }) as FlowStep)).then(() => {
    isWalking = false
  })
  while (isWalking) {
    await setImmediate()
    rounds++
  }
  await walking
  expect(rounds).toBeGreaterThanOrEqual(50)
})
