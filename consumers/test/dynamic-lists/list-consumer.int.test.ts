import { randomUUID } from 'node:crypto'
import type { Recorded } from '@tidings/codec'
import { asListId, asWorkspaceId, type ListRuleChanged } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listConsumer } from '../../src/dynamic-lists/list-consumer.ts'
import { createReadFacts } from '../../src/dynamic-lists/read-facts.ts'
import { putRule } from '../../src/dynamic-lists/rule-table.ts'
import { recorded } from '../testing/recorded.ts'

const workspaceId = asWorkspaceId(randomUUID())
const elsewhere = asWorkspaceId(randomUUID())
const listId = asListId(randomUUID())
const contactId = randomUUID()

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  const rule = { field: 'firstName', op: 'eq', value: 'Ada' } as const
  const made: ListRuleChanged = { type: 'ListRuleChanged', data: { listId, version: 1, rule } }
  await transaction(db.pool, (tx) => putRule(tx, recorded(made, workspaceId)))
})
afterAll(() => db.drop())

const event = (type: string, data: object, of = workspaceId) => recorded({ type, data: { contactId, ...data } }, of)

const consumerOf = (isShared: boolean) => listConsumer({ facts: createReadFacts(db.pool, isShared), admit: async () => () => undefined })
const concerns = (...events: readonly Recorded[]) => consumerOf(true).concerns?.(events)

it.each([
  ['a fact that no rule reads', [event('ContactPhoneChanged', {})], false],
  ['a fact that a rule reads', [event('ContactPhoneChanged', {}), event('ContactDetailsChanged', { firstName: 'Bo' })], true],
  ['a contact that is new, with every fact', [event('ContactCreated', {})], true],
  ['the same in a workspace without rules', [event('ContactCreated', {}, elsewhere)], false],
  ['a member whom a request added', [event('ContactAddedToList', { listId, reason: 'request' })], false],
  ['a member whom a rule added', [event('ContactAddedToList', { listId, reason: 'contact' })], true],
  ['another rule', [event('ListRuleChanged', { listId, version: 2, rule: {} }, elsewhere)], true],
])('of %s it says whether a list is concerned', async (_what, events, concerned) => {
  expect(await concerns(...events)).toBe(concerned)
})

const looks = async (isShared: boolean, work: (consumer: ReturnType<typeof consumerOf>) => Promise<void>): Promise<number> => {
  const query = vi.spyOn(db.pool, 'query')
  await work(consumerOf(isShared))
  const { length } = query.mock.calls
  query.mockRestore()
  return length
}

it('looks once for a fact, and again after a rule has changed or another process had the group', async () => {
  const workspace = asWorkspaceId(randomUUID())
  const changed = event('ContactDetailsChanged', { firstName: 'Bo' }, workspace)
  const rule = { listId: randomUUID(), version: 1, rule: { field: 'firstName', op: 'eq', value: 'Bo' } }
  expect(
    await looks(false, async ({ concerns: concerned, handle, opened }) => {
      for (let n = 0; n < 3; n++) expect(await concerned?.([changed])).toBe(false)
      const committed = await transaction(db.pool, (tx) => handle([event('ListRuleChanged', rule, workspace)], tx))
      committed?.()
      for (let n = 0; n < 3; n++) expect(await concerned?.([changed])).toBe(true)
      await db.pool.query('delete from lists.rule_fact where workspace_id = $1', [workspace])
      opened?.({ commit: 1n, prepare: 0n })
      expect(await concerned?.([changed])).toBe(false)
    }),
  ).toBe(4)
})

it('looks every time where other processes write rules', async () => {
  const changed = event('ContactDetailsChanged', { firstName: 'Bo' }, asWorkspaceId(randomUUID()))
  expect(
    await looks(true, async ({ concerns: concerned }) => {
      for (let n = 0; n < 3; n++) expect(await concerned?.([changed])).toBe(false)
    }),
  ).toBe(3)
})
