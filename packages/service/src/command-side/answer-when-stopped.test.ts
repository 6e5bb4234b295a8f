import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import { type ContactCommand, contact, contactStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { answerWhenStopped } from './answer-when-stopped.ts'

const contactId = 'c'
const { workspaceId } = contextOf('any')
const said = (status: 'subscribed' | 'unsubscribed') => [{ channel: 'email', status, source: 'api', ip: null, userAgent: null }] as const

/** A contact that is subscribed, and whom a command that is answered waited for. */
const subscribed = async () => {
  const waited: Position[] = []
  const heard = Promise.withResolvers<void>()
  const commands = answerWhenStopped(createCommandRunner({ log: modelLog().log }), async (position) => {
    waited.push(position)
    await heard.promise
  })
  let n = 0
  const execute = (command: ContactCommand) =>
    commands.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command, context: contextOf(`${n++}`) })
  const email = { value: 'ada@example.com', claimId: 'claim' }
  await execute({ type: 'CreateContact', data: { contactId, email, details: {}, consents: said('subscribed'), source: 'api' } })
  return { waited, heard, execute }
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
  heard.resolve()
  expect(await executing).toEqual(waited[0])
})

test('what stops nothing waits for no process', async () => {
  const { waited, execute } = await subscribed()
  await execute({ type: 'RecordConsent', data: { contactId, consents: said('subscribed') } })
  await execute({ type: 'UpdateContact', data: { contactId, details: { firstName: 'Ada' } } })
  expect(waited).toEqual([])
})
