import { randomUUID } from 'node:crypto'
import type { Recorded } from '@tidings/codec'
import type { ListRuleChanged } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listConsumer } from '../../src/dynamic-lists/list-consumer.ts'
import { createReadFacts } from '../../src/dynamic-lists/read-facts.ts'
import { putRule } from '../../src/dynamic-lists/rule-table.ts'

const workspaceId = randomUUID()
const elsewhere = randomUUID()
const listId = randomUUID()
const contactId = randomUUID()

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  const rule = { field: 'firstName', op: 'eq', value: 'Ada' } as const
  const made = recorded('ListRuleChanged', { listId, version: 1, rule }) as Recorded<ListRuleChanged>
  await transaction(db.pool, (tx) => putRule(tx, made))
})
afterAll(() => db.drop())

const recorded = (type: string, data: object, of = workspaceId) =>
  ({
    type,
    data: { contactId, ...data },
    meta: { workspaceId: of, at: '2026-11-22T09:00:00.000Z' },
    position: { commit: 1n, prepare: 0n },
  }) as unknown as Recorded

const consumerOf = (isShared: boolean) => listConsumer({ facts: createReadFacts(db.pool, isShared), admit: async () => () => undefined })
const concerns = (...events: readonly Recorded[]) => consumerOf(true).concerns?.(events)

it.each([
  ['a fact that no rule reads', [recorded('ContactPhoneChanged', {})], false],
  ['a fact that a rule reads', [recorded('ContactPhoneChanged', {}), recorded('ContactDetailsChanged', { firstName: 'Bo' })], true],
  ['a contact that is new, with every fact', [recorded('ContactCreated', {})], true],
  ['the same in a workspace without rules', [recorded('ContactCreated', {}, elsewhere)], false],
  ['a member whom a request added', [recorded('ContactAddedToList', { listId, reason: 'request' })], false],
  ['a member whom a rule added', [recorded('ContactAddedToList', { listId, reason: 'contact' })], true],
  ['another rule', [recorded('ListRuleChanged', { listId, version: 2, rule: {} }, elsewhere)], true],
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
  const workspace = randomUUID()
  const changed = recorded('ContactDetailsChanged', { firstName: 'Bo' }, workspace)
  const rule = { listId: randomUUID(), version: 1, rule: { field: 'firstName', op: 'eq', value: 'Bo' } }
  expect(
    await looks(false, async ({ concerns: concerned, handle, opened }) => {
      for (let n = 0; n < 3; n++) expect(await concerned?.([changed])).toBe(false)
      const committed = await transaction(db.pool, (tx) => handle([recorded('ListRuleChanged', rule, workspace)], tx))
      committed?.()
      for (let n = 0; n < 3; n++) expect(await concerned?.([changed])).toBe(true)
      await db.pool.query('delete from lists.rule_fact where workspace_id = $1', [workspace])
      opened?.({ commit: 1n, prepare: 0n })
      expect(await concerned?.([changed])).toBe(false)
    }),
  ).toBe(4)
})

it('looks every time where other processes write rules', async () => {
  const changed = recorded('ContactDetailsChanged', { firstName: 'Bo' }, randomUUID())
  expect(
    await looks(true, async ({ concerns: concerned }) => {
      for (let n = 0; n < 3; n++) expect(await concerned?.([changed])).toBe(false)
    }),
  ).toBe(3)
})
