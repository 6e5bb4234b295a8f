import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asListId, asWorkspaceId, eventDeclarations } from '@tidings/domain'
import { LogWentBack, type Position, Unavailable } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createUniqueContacts } from '@tidings/unique-contacts'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { changeMembers } from '../../src/lists/change-members.ts'
import { membersToAdd, type NamedMembers } from '../../src/lists/resolve-members.ts'

const WORKSPACE = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const LIST = asListId('0192b1f0-0000-7000-8000-00000000000c')

const contextOf = (commandId: string) => ({
  commandId,
  workspaceId: WORKSPACE,
  actor: 'key:1',
  requestId: commandId,
  at: '2026-11-26T10:00:00.000Z',
})

const setUp = (changes: Partial<Parameters<typeof changeMembers>[0]> = {}) => {
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const commands = createCommandRunner({ log })
  const waits: Readonly<{ position: Position | null; projections: readonly string[] }>[] = []
  const deps = {
    commands,
    uniqueContacts: createUniqueContacts({ runner: commands, claimDigest: keyRing.claimDigest }),
    directory: { contact: () => null, contactBy: () => null },
    readSide: {
      wait: async (position: Position | null, projections: readonly string[]) => {
        waits.push({ position, projections })
        return 'visible' as const
      },
    },
    logHead: log.head,
    writtenBy: async () => 0,
    memberCounts: async () => ({ total: 0, among: 0 }),
    ...changes,
  }
  const add = async (commandId: string, named: NamedMembers): Promise<unknown> => {
    const app = fastify()
    app.get('/', (_, reply) => changeMembers(deps, reply, { context: contextOf(commandId), type: 'AddMembers', listId: LIST, named }))
    const answer = await app.inject('/')
    return { ...answer.json<Readonly<{ changed: number; count: number }>>(), consistency: answer.headers['x-consistency'] }
  }
  return {
    waits,
    add,
    head: log.head,
    name: (commandId: string) => membersToAdd(deps, contextOf(commandId), { emails: ['ann@example.com'] }),
  }
}

const LISTS = ['lists']
const BOTH = ['lists', 'profiles']

test('a call that names a new contact waits for its profile, also where another call created it', async () => {
  const { waits, add, name, head } = setUp()
  const [creator, other] = [await name('first'), await name('second')]
  expect(await add('second', other)).toMatchObject({ changed: 1, count: 1 })
  expect(waits).toEqual([{ position: await head(), projections: BOTH }])
  expect(await add('first', creator)).toMatchObject({ changed: 0, count: 1 })
  expect(waits.slice(1)).toEqual([{ position: await head(), projections: BOTH }])
})

test('a call that changes nothing waits for what others wrote, which it counts', async () => {
  const { waits, add, name, head } = setUp()
  const { contactIds } = await name('first')
  const known = { contactIds, someAreNew: false }
  await add('first', known)
  const end = await head()
  expect(await add('second', known)).toMatchObject({ changed: 0, count: 1 })
  expect(await add('third', { contactIds: [], someAreNew: false })).toMatchObject({ changed: 0, count: 0 })
  expect(waits).toEqual([1, 2, 3].map(() => ({ position: end, projections: LISTS })))
})

test('where the log does not say where it ends, the answer says that reads may be behind', async () => {
  const { waits, add } = setUp({ logHead: () => Promise.reject(new Unavailable('away')) })
  expect(await add('first', { contactIds: [], someAreNew: false })).toMatchObject({ changed: 0, consistency: 'pending' })
  expect(waits).toEqual([])
})

test.each([new LogWentBack('it was set back'), new TypeError('a mistake')])('but not where it says %s', async (error) => {
  const { add } = setUp({ logHead: () => Promise.reject(error) })
  expect(await add('first', { contactIds: [], someAreNew: false })).toMatchObject({ statusCode: 500 })
})
