import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations, wallet, walletStream } from '@tidings/domain'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { PATIENT_MS } from '@tidings/testing'
import { type EventStoreFixture, PATIENT_TIMES, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import { contextOf } from './testing/context-of.ts'

/** More commands than the runner remembers of any stream, fewer than a wallet does. */
const OTHERS = 100

let fixture: EventStoreFixture
let store: ReturnType<typeof eventStoreDbStore>

beforeAll(async () => {
  fixture = await startEventStoreFixture()
  store = eventStoreDbStore({ connectionString: fixture.connectionString, times: PATIENT_TIMES })
})
afterAll(async () => {
  await store.close()
  await fixture.close()
})

it('credits are added once by a command that is repeated on EventStoreDB after other appends', async () => {
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const context = contextOf('first')
  const stream = walletStream(context.workspaceId)
  const add = (commandId: string) => ({ type: 'AddCredits', data: { commandId, amount: 5, note: null } }) as const
  const runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const run = (commandId: string) =>
    runner.execute({ decider: wallet, stream, command: add(commandId), context: { ...context, commandId } })

  await run('first')
  for (let n = 0; n < OTHERS; n++) await run(`c${n}`)
  await run('first')
  // This also holds among others: a hot stream decides waiting commands together.
  await Promise.all(['x', 'first', 'y'].map(run))
  const { state } = await createCommandRunner({ log, deadlineMs: PATIENT_MS }).load({
    decider: wallet,
    stream,
    workspaceId: context.workspaceId,
  })
  expect(state.balance).toBe(5 * (1 + OTHERS + 2))
})
