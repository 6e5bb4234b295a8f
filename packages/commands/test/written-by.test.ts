import { createEventLog, ForeignEvent, memoryKeyRing, upcasters } from '@tidings/codec'
import {
  asContactId,
  asListId,
  asWorkspaceId,
  bucketOf,
  type ContactId,
  eventDeclarations,
  type MembersCommand,
  members,
  membersStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import { writtenBy } from '../src/written-by.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-000000000001')
const people = ['0192f0c1-0000-7000-8000-00010000beef', '0192f0c1-0000-7000-8000-00020000beef'].map(asContactId)
const stream = membersStream(workspaceId, asListId('l'), bucketOf(asContactId('beef')))
const add = (...contactIds: readonly ContactId[]): MembersCommand => ({ type: 'AddMembers', data: { listId: asListId('l'), contactIds } })
const context = (commandId: string) => ({ commandId, workspaceId, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' })

it('what a command wrote to a stream is counted, whatever others wrote with it and after it', async () => {
  const store = memoryEventStore()
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const { execute } = createCommandRunner({ log })
  const commands = [
    { context: context('first'), command: add(...people.slice(0, 1)) },
    { context: context('second'), command: add(...people) },
    { context: context('idle'), command: add(...people) },
  ]
  await Promise.all(commands.map((each) => execute({ decider: members, stream, ...each })))
  await execute({ decider: members, stream, context: context('later'), command: { type: 'RemoveMembers', data: add(...people).data } })
  const counts = ['first', 'second', 'idle', 'later', 'unknown'].map((commandId) => writtenBy(log, stream, context(commandId)))
  expect(await Promise.all(counts)).toEqual([1, 1, 0, 2, 0])
  await log.close()
})

it('nothing is counted in a stream that holds an event of another workspace', async () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  await createCommandRunner({ log }).execute({ decider: members, stream, context: context('first'), command: add(...people) })
  await expect(writtenBy(log, stream, { workspaceId: asWorkspaceId('another'), commandId: 'first' })).rejects.toThrow(ForeignEvent)
  await log.close()
})
