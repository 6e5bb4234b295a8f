import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import {
  asCampaignId,
  asContactId,
  type CampaignMove,
  type ContactCommand,
  campaign,
  campaignStream,
  contact,
  contactStream,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { answerWhenStopped } from '../../src/command-side/answer-when-stopped.ts'

const contactId = asContactId('c')
const { workspaceId } = contextOf('any')
const said = (status: 'subscribed' | 'unsubscribed') => [{ channel: 'email', status, source: 'api', ip: null, userAgent: null }] as const

/** A contact that is subscribed, and whom a command that is answered waited for. */
const subscribed = async () => {
  const waited: Position[] = []
  const heard = Promise.withResolvers<boolean>()
  const wait = async () => 'visible' as const
  const { commands, readSide } = answerWhenStopped(
    { commands: createCommandRunner({ log: modelLog().log }), readSide: { wait } },
    async (position) => {
      waited.push(position)
      return await heard.promise
    },
  )
  let n = 0
  const execution = (command: ContactCommand, word = `${n++}`) =>
    ({ decider: contact, stream: contactStream(workspaceId, contactId), command, context: contextOf(word) }) as const
  const execute = (command: ContactCommand, word?: string) => commands.execute(execution(command, word))
  const email = { value: 'ada@example.com', claimId: 'claim' }
  await execute({ type: 'CreateContact', data: { contactId, email, details: {}, consents: said('subscribed'), source: 'api' } })
  return { waited, heard, execute, execution, commands, readSide }
}

test.each<[string, ContactCommand]>([
  ['unsubscribes', { type: 'RecordConsent', data: { contactId, consents: said('unsubscribed') } }],
  ['is blacklisted', { type: 'SuppressContact', data: { contactId, channels: ['email'], reason: 'global_blocklist' } }],
  ['has another address', { type: 'UpdateContact', data: { contactId, email: { value: 'grace@example.com', claimId: 'other' } } }],
  ['has no address any more', { type: 'UpdateContact', data: { contactId, email: { value: null, claimId: null } } }],
  ['has another number', { type: 'UpdateContact', data: { contactId, phone: { value: '+972541234567', claimId: 'number' } } }],
  ['is to be erased', { type: 'RequestErasure', data: { contactId } }],
])('that somebody %s is answered when every process has heard of it, and not before', async (_, command) => {
  const { waited, heard, execute } = await subscribed()
  expect(waited).toEqual([])
  let answered = false
  const executing = execute(command).then(({ position }) => {
    answered = true
    return position
  })
  await new Promise((resolve) => setImmediate(resolve))
  await expect.poll(() => waited).toHaveLength(1)
  expect(answered).toBe(false)
  heard.resolve(true)
  expect(await executing).toEqual(waited[0])
})

test('what stops nothing waits for no process', async () => {
  const { waited, execute } = await subscribed()
  await execute({ type: 'RecordConsent', data: { contactId, consents: said('subscribed') } })
  await execute({ type: 'UpdateContact', data: { contactId, details: { firstName: 'Ada' } } })
  expect(waited).toEqual([])
})

const STOP: ContactCommand = { type: 'RecordConsent', data: { contactId, consents: said('unsubscribed') } }

test('the repetition of a stop is answered no sooner than the first', async () => {
  const { waited, heard, execute } = await subscribed()
  const answered: string[] = []
  const first = execute(STOP, 'stop').then(() => answered.push('first'))
  await expect.poll(() => waited).toHaveLength(1)
  const again = execute(STOP, 'stop').then(() => answered.push('again'))
  await new Promise((resolve) => setImmediate(resolve))
  await expect.poll(() => waited).toHaveLength(2)
  expect(answered).toEqual([])
  heard.resolve(true)
  await Promise.all([first, again])
  expect(waited[1]).toEqual(waited[0])
})

test.each<[string, (heard: PromiseWithResolvers<boolean>) => void, string]>([
  ['that not every process heard of in time is done, and pending', ({ resolve }) => resolve(false), 'pending'],
  ['whose processes cannot be asked for is done, and pending', ({ reject }) => reject(new Error('Postgres is away')), 'pending'],
  ['that every process heard of is done, and visible', ({ resolve }) => resolve(true), 'visible'],
])('a stop %s', async (_, end, outcome) => {
  const { heard, execute, readSide } = await subscribed()
  end(heard)
  const { events, position } = await execute(STOP)
  expect(events).toMatchObject([{ type: 'ContactConsentRecorded' }])
  expect(await readSide.wait(position, ['profiles'])).toBe(outcome)
})

test('a stop that is written together with others is answered when every process has heard of it', async () => {
  const { waited, heard, execution, commands } = await subscribed()
  const draft = commands.draft(execution(STOP))
  const written = commands.writeTogether(draft === null ? [] : [draft])
  await expect.poll(() => waited).toHaveLength(1)
  heard.resolve(true)
  expect((await written)?.map(({ position }) => position)).toEqual(waited)
})

test.each<[CampaignMove, boolean]>([
  ['start', false],
  ['pause', true],
  ['resume', false],
  ['cancel', true],
])('%s of a campaign waits for every process: %s', async (move, waits) => {
  const waited: Position[] = []
  const { commands } = answerWhenStopped(
    { commands: createCommandRunner({ log: modelLog().log }), readSide: { wait: async () => 'visible' as const } },
    async (position) => waited.push(position) > 0,
  )
  const campaignId = asCampaignId('c')
  let n = 0
  const execute = (command: Parameters<typeof campaign.decide>[0]) =>
    commands.execute({ decider: campaign, stream: campaignStream(workspaceId, campaignId), command, context: contextOf(`move ${n++}`) })
  const settings = { tagIds: [], listId: null, templateId: null, senderAddressId: null, senderId: null, archived: false, variants: 1 }
  await execute({ type: 'ConfigureCampaign', data: { ...settings, campaignId, name: 'Sale', channel: 'email', status: 'draft' } })
  const before: readonly CampaignMove[] = move === 'start' ? [] : move === 'resume' ? ['start', 'pause'] : ['start']
  for (const one of before)
    await execute({ type: 'MoveCampaign', data: { campaignId, move: one, at: null, now: '2026-11-21T09:00:00.000Z' } })
  waited.length = 0
  const { position } = await execute({ type: 'MoveCampaign', data: { campaignId, move, at: null, now: '2026-11-21T09:00:00.000Z' } })
  expect(waited).toEqual(waits ? [position] : [])
})
