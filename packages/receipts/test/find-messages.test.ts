import { asMessageId, asWorkspaceId, type MessageId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { findMessages, type MessageLookup } from '../src/find-messages.ts'

const WORKSPACE = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const [known, early, late] = ['a', 'b', 'c'].map((end) => `0192b1f0-0000-7000-8000-00000000000${end}`) as [string, string, string]

const of = (messageId: MessageId) => ({ workspaceId: WORKSPACE, messageId })

/** What the provider calls the messages; null for several. */
const calls = new Map([
  ['4F2A', of(asMessageId(known))],
  ['4F2D', of(asMessageId(early))],
  ['1', null],
])

/** `shown`: the messages that each look finds. `decided`: those that are known to be there or not. */
const lookup = (shown: readonly (readonly string[])[], decided: readonly string[]) => {
  let looks = 0
  const asked: (readonly string[])[] = []
  const found: MessageLookup = {
    workspacesOfMessages: async (ids) => {
      const rows = shown[Math.min(looks++, shown.length - 1)] ?? []
      return new Map(ids.filter((id) => rows.includes(id)).map((id) => [id, WORKSPACE]))
    },
    messagesOfProviderIds: async (names) =>
      new Map(names.flatMap((name) => (calls.has(name) ? [[name, calls.get(name) ?? null] as const] : []))),
    shownOrUnknown: async (ids) => {
      asked.push(ids)
      return new Set(ids.filter((id) => decided.includes(id)))
    },
  }
  return { found, asked }
}
const reports = [known, early, late, early].map((id) => ({ messageId: asMessageId(id) }))

test('a message is unknown once all is shown that there was when it was first named, and the others of its batch are still behind', async () => {
  const { found, asked } = lookup([[known]], [early])
  expect(await findMessages(found, reports)).toEqual([of(asMessageId(known)), 'unknown', 'behind', 'unknown'])
  expect(asked).toEqual([[early, late]])
})

test('a message that shows in the meantime is found', async () => {
  const { found } = lookup([[known], [known, early]], [early])
  expect(await findMessages(found, reports)).toEqual([of(asMessageId(known)), of(asMessageId(early)), 'behind', of(asMessageId(early))])
})

test('a batch whose messages all show asks for no moment of the log', async () => {
  const { found, asked } = lookup([[known, early, late]], [])
  expect(await findMessages(found, reports)).toEqual([
    of(asMessageId(known)),
    of(asMessageId(early)),
    of(asMessageId(late)),
    of(asMessageId(early)),
  ])
  expect(asked).toEqual([])
})

test('a message is found by the name that its provider gave it; one that nothing is called, or two, is unknown once all is shown', async () => {
  const { found, asked } = lookup([[]], ['4F2A', '4F2B'])
  const named = ['4F2A', '4F2B', '4F2C', '4F2D', '1', '', 'x\0', 'x'.repeat(256)].map((providerMessageId) => ({ providerMessageId }))
  expect(await findMessages(found, named)).toEqual([
    of(asMessageId(known)),
    'unknown',
    'behind',
    'behind',
    ...Array.from({ length: 4 }, () => 'unknown'),
  ])
  expect(asked).toEqual([['4F2A', '4F2B', '4F2C', '4F2D']])
})

test('a name that a second message has by the time that all is shown is of neither', async () => {
  const { found } = lookup([[]], ['4F2A'])
  let looks = 0
  const later = {
    ...found,
    messagesOfProviderIds: async () => new Map([['4F2A', looks++ === 0 ? of(asMessageId(known)) : null]]),
  }
  expect(await findMessages(later, [{ providerMessageId: '4F2A' }])).toEqual(['unknown'])
})
