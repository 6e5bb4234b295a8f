import { randomUUID } from 'node:crypto'
import type { Recorded } from '@tidings/codec'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listConsumer } from './list-consumer.ts'
import { putRule } from './rule-table.ts'

const workspaceId = randomUUID()
const elsewhere = randomUUID()
const listId = randomUUID()
const contactId = randomUUID()

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  const rule = { field: 'firstName', op: 'eq', value: 'Ada' } as const
  await transaction(db.pool, (tx) => putRule(tx, workspaceId, { listId, version: 1, rule }))
})
afterAll(() => db.drop())

const recorded = (type: string, data: object, of = workspaceId) =>
  ({ type, data: { contactId, ...data }, meta: { workspaceId: of }, position: { commit: 1n, prepare: 0n } }) as unknown as Recorded

const concerns = (...events: readonly Recorded[]) => listConsumer({ pool: db.pool, admit: async () => () => undefined }).concerns?.(events)

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
