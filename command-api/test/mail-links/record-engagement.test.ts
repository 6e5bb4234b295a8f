import { createEventLog, memoryKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import { asMessageId, asWorkspaceId, eventDeclarations, type MessageId, messageStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEngagementRecorder, type RecordEngagement } from '../../src/mail-links/record-engagement.ts'

const workspaceId = asWorkspaceId(uuidv7())
const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
const context = (at: string) => ({ commandId: uuidv7(), workspaceId, actor: 'test', requestId: 'r', at })

const warnings: string[] = []
// The tests read only the warnings of failed requests.
const request = { id: 'r', log: { warn: (_: unknown, sentence: string) => warnings.push(sentence) } } as never

let asked = 0
let runner: CommandRunner
let record: RecordEngagement
beforeEach(() => {
  // A caller waits for a second at most, in which this process may stand still.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  asked = 0
  warnings.length = 0
  runner = createCommandRunner({ log })
  const execute: CommandRunner['execute'] = (execution) => {
    asked++
    return runner.execute(execution)
  }
  const counting: CommandRunner = { ...runner, execute }
  record = createEngagementRecorder({ commands: counting, now: () => '2026-11-21T11:00:00.000Z' })
})
afterEach(() => {
  vi.useRealTimers()
})

const sentMail = async () => {
  const messageId = asMessageId(uuidv7())
  const of = { messageId, contactId: uuidv7(), channel: 'email' }
  const content = { subject: 's', html: 'h', text: null }
  const mail = {
    to: 'ada@example.com',
    fromEmail: 'a@b.example',
    fromName: null,
    replyTo: null,
    content,
    contentId: null,
    templateId: null,
  }
  const accepted = { type: 'EmailAccepted', data: { ...of, ...mail, kind: 'marketing' } }
  const sent = { type: 'MessageSent', data: { ...of, provider: 'outbox', providerMessageId: '1' } }
  for (const event of [accepted, sent])
    await log.append(messageStream(workspaceId, messageId), 'any', [event], context('2026-11-21T10:00:00.000Z'))
  return { workspaceId, messageId }
}
const typesOf = async ({ messageId }: Readonly<{ messageId: MessageId }>) =>
  (await log.readStream(workspaceId, messageStream(workspaceId, messageId))).slice(2).map(({ type }) => type)

const open = { type: 'RecordOpen', machine: false } as const

describe('a pixel', () => {
  it('that is loaded a thousand times is one event, and one command', async () => {
    const mail = await sentMail()
    for (let n = 0; n < 1_000; n++) await record(request, mail, open)
    expect(await typesOf(mail)).toEqual(['EmailOpened'])
    expect(asked).toBe(1)
  })

  it('that a machine loaded is still recorded for a person', async () => {
    const mail = await sentMail()
    for (let n = 0; n < 10; n++) await record(request, mail, { ...open, machine: true })
    await record(request, mail, open)
    expect(await typesOf(mail)).toEqual(['EmailOpened', 'EmailOpened'])
    expect(asked).toBe(2)
  })

  it('of a mail that the log does not know is asked about once', async () => {
    const messageId = asMessageId(uuidv7())
    for (let n = 0; n < 10; n++) await record(request, { workspaceId, messageId }, open)
    expect(asked).toBe(1)
  })

  it('that cannot be recorded is logged, and is no error for the caller', async () => {
    const broken: CommandRunner = { ...runner, execute: () => Promise.reject(new Error('the log is away')) }
    await createEngagementRecorder({ commands: broken, now: () => '2026-11-21T11:00:00.000Z' })(request, await sentMail(), open)
    expect(warnings).toEqual(['an open or a click was not recorded'])
  })
})

it('clicks are kept up to their bound, and cost nothing beyond it', async () => {
  const mail = await sentMail()
  for (let n = 0; n < 150; n++) await record(request, mail, { type: 'RecordClick', machine: false, link: 0, url: 'https://x.example/' })
  expect(await typesOf(mail)).toHaveLength(100)
  expect(asked).toBe(100)
})

it('a caller waits for the timeout at most, whatever the log does', async () => {
  const stuck: CommandRunner = { ...runner, execute: () => new Promise<never>(() => undefined) }
  const mail = await sentMail()
  const recorded = createEngagementRecorder({ commands: stuck, now: () => '2026-11-21T11:00:00.000Z' })(request, mail, open)
  await vi.advanceTimersByTimeAsync(1_000)
  await recorded
})
