import { createEventLog, type EventLog, memoryKeyRing, upcasters, uuidv7, WrongMasterKey } from '@tidings/codec'
import { type CommandExecutor, type CommandRunner, createCommandRunner, type StateLoader } from '@tidings/commands'
import { asWorkspaceId, type DomainEvent, eventDeclarations, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { Unavailable } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createExpiry, expireConfirmations, type FindOverdue, type OverdueAddress } from '../../src/senders/expire-confirmations.ts'

const PAGE = 500
const END = '2026-11-20T00:00:00.000Z'
const NOW = '2026-11-23T00:00:00.000Z'

let stored: ReturnType<typeof memoryEventStore>
let log: EventLog
let runner: CommandRunner
let faults: unknown[]
const ending = new AbortController().signal

beforeEach(() => {
  stored = memoryEventStore()
  log = createEventLog({ store: stored, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  runner = createCommandRunner({ log })
  faults = []
})
afterEach(async () => {
  await log.close()
})

const append = (workspaceId: WorkspaceId, writer: WorkspaceId, events: readonly DomainEvent[]) => {
  const context = { commandId: uuidv7(), workspaceId: writer, actor: 'test', requestId: 'r', at: END }
  return log.append(workspaceStream(workspaceId), 'any', events, context)
}

const created = (workspaceId: WorkspaceId): DomainEvent => ({
  type: 'WorkspaceCreated',
  data: { workspaceId, slug: 'acme', name: 'Acme', plan: 'free', country: 'IL', tracking: false },
})

const configured = (addressId: string): DomainEvent => ({
  type: 'SenderAddressConfigured',
  data: { addressId, email: 'hello@acme.example', name: null, status: 'pending' },
})

/** A workspace with an address whose link has ended. */
const overdueAddress = async (): Promise<OverdueAddress> => {
  const [workspaceId, addressId] = [asWorkspaceId(uuidv7()), uuidv7()]
  const issued: DomainEvent = {
    type: 'SenderConfirmationIssued',
    data: { addressId, confirmationId: uuidv7(), at: '2026-11-13T00:00:00.000Z', expiresAt: END },
  }
  await append(workspaceId, workspaceId, [created(workspaceId), configured(addressId), issued])
  return { workspaceId, addressId, confirmBy: new Date(END) }
}

/** The addresses as the read side shows them. It lags: expired ones are still in it. */
const showing =
  (addresses: readonly OverdueAddress[]): FindOverdue =>
  async ({ after, limit }) => {
    const begin = after === null ? 0 : addresses.indexOf(after) + 1
    return addresses.slice(begin, begin + limit)
  }

const expiring = (overdue: FindOverdue) => ({ commands: runner, overdue, now: () => NOW, onFault: (error: unknown) => faults.push(error) })

const statusOf = async ({ workspaceId, addressId }: OverdueAddress) => {
  const { state } = await runner.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  return state.senderAddresses[addressId]?.status
}

/** Appends this event behind the events of a workspace. */
const store = async ({ workspaceId }: OverdueAddress, event: Readonly<{ type: string; data: string }>): Promise<void> => {
  const stream = workspaceStream(workspaceId)
  const meta = (await stored.readStream(stream))[0]?.meta ?? ''
  await stored.append(stream, 'any', [{ ...event, id: uuidv7(), meta }])
}

it.each<[string, string, (unreadable: OverdueAddress) => Promise<unknown>]>([
  [
    'an event of another workspace',
    'ForeignEvent',
    ({ workspaceId }) => append(workspaceId, asWorkspaceId(uuidv7()), [configured(uuidv7())]),
  ],
  ['an event that only a newer build knows', 'UnknownEventType', (address) => store(address, { type: 'WorkspaceMoved', data: '{}' })],
  ['an event that is no JSON', 'CorruptEvent', (address) => store(address, { type: 'SenderAddressVerified', data: '{' })],
])('an address of a workspace whose stream holds %s delays no other, and is one fault', async (_, name, spoil) => {
  const [first, second] = [await overdueAddress(), await overdueAddress()]
  await spoil(first)
  await expireConfirmations(expiring(showing([first, second])), null, ending)
  expect(await statusOf(second)).toBe('failed')
  expect(faults).toMatchObject([{ name }])
})

it('more addresses than a page that stay overdue on the read side delay none behind them', async () => {
  const workspaceId = asWorkspaceId(uuidv7())
  await append(workspaceId, workspaceId, [created(workspaceId)])
  // The log knows of no confirmation for them.
  const staying = Array.from({ length: PAGE + 1 }, () => ({ workspaceId, addressId: uuidv7(), confirmBy: new Date(END) }))
  const last = await overdueAddress()
  const expire = createExpiry(expiring(showing([...staying, last])))
  await expire(ending)
  expect(await statusOf(last)).toBe('pending')
  await expire(ending)
  expect(await statusOf(last)).toBe('failed')
  expect(faults).toEqual([])
})

it('a log that is away ends the expiry, for all of them', async () => {
  const [first, second] = [await overdueAddress(), await overdueAddress()]
  const loaded: string[] = []
  const away: CommandExecutor & StateLoader = {
    ...runner,
    load: ({ workspaceId }) => {
      loaded.push(workspaceId)
      return Promise.reject(new Unavailable('away'))
    },
  }
  await expect(expireConfirmations({ ...expiring(showing([first, second])), commands: away }, null, ending)).rejects.toThrow('away')
  expect(loaded).toEqual([first.workspaceId])
  expect(faults).toEqual([])
})

it('one whose key is wrapped under a master key that is not here, as in an older backup, delays no other', async () => {
  const [first, second] = [await overdueAddress(), await overdueAddress()]
  const fault = new WrongMasterKey('wrapped under another')
  const load: CommandRunner['load'] = (loading) =>
    loading.workspaceId === first.workspaceId ? Promise.reject(fault) : runner.load(loading)
  await expireConfirmations({ ...expiring(showing([first, second])), commands: { ...runner, load } }, null, ending)
  expect(await statusOf(second)).toBe('failed')
  expect(faults).toEqual([fault])
})

it('an expiry comes in one of twelve rounds, and in the next one after it failed or was cut short', async () => {
  const address = await overdueAddress()
  let looks = 0
  const expire = createExpiry(
    expiring(async () => {
      if (looks++ === 0) throw new Unavailable('away')
      return looks === 2 ? [address] : []
    }),
  )
  await expect(expire(ending)).rejects.toThrow('away')
  await expire(AbortSignal.abort())
  expect(await statusOf(address)).toBe('pending')
  for (let round = 0; round < 12; round++) await expire(ending)
  expect(looks).toBe(3)
  await expire(ending)
  expect(looks).toBe(4)
})
