import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { nextBatch } from '../../src/postgres/group-commit.ts'

const event = (id: string = randomUUID()) => ({ id, type: 'A', data: '', meta: '' })

const append = (events = [event()]) => ({ stream: `s-${randomUUID()}`, expected: 'any' as const, events })

const item = (bytes: number, id?: string) => ({ appends: [append([event(id)])], bytes })

test('a batch has at most 256 appends', () => {
  const { batch, rest } = nextBatch(Array.from({ length: 300 }, () => item(10)))
  expect([batch.length, rest.length]).toEqual([256, 44])
})

test('a batch has at most 1 000 events, but always one append', () => {
  const many = (count: number) => ({ appends: [append(), append(Array.from({ length: count - 1 }, () => event()))], bytes: 10 })
  const [first, second, third] = [many(400), many(600), many(2)]
  expect(nextBatch([first, second, third]).batch).toEqual([first, second])
  expect(nextBatch([many(5_000), third]).batch).toHaveLength(1)
})

test('a batch has at most 1 MB, but always one append', () => {
  const large = [item(700_000), item(300_000), item(300_000)]
  expect(nextBatch(large).batch).toEqual(large.slice(0, 2))
  expect(nextBatch([item(5_000_000), item(1)]).batch).toHaveLength(1)
})

test('the second append with an event id waits for the next batch, before all others', () => {
  const [first, other, second, last] = [item(1, 'one'), item(1), item(1, 'one'), item(1)]
  const { batch, rest } = nextBatch([first!, other!, second!, last!])
  expect(batch).toEqual([first, other, last])
  expect(rest).toEqual([second])
})
