import { uuidv7 } from '@tidings/codec'
import { expect, test } from 'vitest'
import { type AnalystEvent, projection } from '../src/index.ts'
import { contextAt, newWorld, OURS, runOn, type World } from './world.ts'

const write = async ({ log }: World, contactId: string): Promise<void> => {
  const data = {
    ...{ contactId, email: `${contactId}@example.com`, emailClaimId: null, phone: '+33612345678', phoneClaimId: null, source: 'api' },
    ...{ firstName: 'José', lastName: null, timezone: null, locale: null, notes: 'secret', tags: [], customProperties: {} },
  }
  const changed = { type: 'ContactEmailChanged', data: { contactId, email: `new-${contactId}@example.com`, claimId: null } }
  await log.append(
    `contact-${OURS}-${contactId}`,
    'no_stream',
    [{ type: 'ContactCreated', data }, changed],
    contextAt('2026-01-01T00:00:00.000Z'),
  )
}

/** Runs over both types, asking for the email of the first alone, and answers what it saw. */
const seenBy = async (world: World, personal: boolean, schema: string) => {
  const seen: AnalystEvent[] = []
  const made = projection({
    name: 'emails',
    events: ['ContactCreated', 'ContactEmailChanged'],
    personal: { ContactCreated: ['email'] },
    applyBatch: async (events) => void seen.push(...(events as readonly AnalystEvent[])),
  })
  await runOn(world, made, { personal, schema })
  return seen.map(({ type, data, erased }) => ({ type, data, erased }))
}

test('personal fields are opened where the file asks for them and the flag is given, and nowhere else', async () => {
  const world = await newWorld()
  const contactId = uuidv7()
  await write(world, contactId)
  const clear = { contactId, emailClaimId: null, phoneClaimId: null, source: 'api' }
  const changed = { type: 'ContactEmailChanged', data: { contactId, claimId: null }, erased: false }
  expect(await seenBy(world, false, 'analyst_closed')).toEqual([{ type: 'ContactCreated', data: clear, erased: false }, changed])
  expect(await seenBy(world, true, 'analyst_open')).toEqual([
    { type: 'ContactCreated', data: { ...clear, email: `${contactId}@example.com` }, erased: false },
    changed,
  ])
  await world.shred(OURS, `contact:${contactId}`)
  expect(await seenBy(world, true, 'analyst_erased')).toEqual([
    { type: 'ContactCreated', data: { ...clear, email: null }, erased: true },
    changed,
  ])
  expect(await seenBy(world, false, 'analyst_erased_closed')).toEqual([{ type: 'ContactCreated', data: clear, erased: false }, changed])
})
