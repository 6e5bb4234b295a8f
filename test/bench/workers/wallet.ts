import { randomUUID } from 'node:crypto'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asMessageId, eventDeclarations, type WorkspaceId, wallet, walletStream } from '@tidings/domain'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool, migrate } from '@tidings/postgres'
import { createWallets } from '@tidings/wallet'
import { closedLoop, type Looped } from '../lib/closed-loop.ts'

/**
 * One process that pays for messages of one workspace: each caller holds credits for `batch` messages and settles them, over and over.
 * `url`: of Postgres, or `esdb://…`. `workspaceId`: processes with the same one share a wallet.
 */
export type WalletInput = Readonly<{ url: string; workspaceId: WorkspaceId; callers: number; batch: number; seconds: number }>
export type WalletAnswer = Looped & Readonly<{ messagesPerSecond: number; events: number; loadMs: number }>

const input = JSON.parse(process.argv[2] ?? '{}') as WalletInput
const { url, workspaceId, callers, batch, seconds } = input

const openStore = async () => {
  if (url.startsWith('esdb')) return { store: eventStoreDbStore({ connectionString: url }), close: async () => {} }
  const pool = createPool({ url, max: 4, name: 'bench' })
  await migrate(pool)
  return { store: postgresEventStore({ pool }), close: () => pool.end() }
}

const { store, close } = await openStore()
const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
const commands = createCommandRunner({ log })
const wallets = createWallets({ commands })
const of = { decider: wallet, stream: walletStream(workspaceId), workspaceId }
const commandId = randomUUID()
const context = { commandId, workspaceId, actor: 'operator', requestId: commandId, at: new Date().toISOString() }
await commands.execute({ ...of, command: { type: 'AddCredits', data: { commandId, amount: 1_000_000_000, note: null } }, context })

const payFor = async (): Promise<void> => {
  const holder = randomUUID()
  const messages = Array.from({ length: batch }, () => ({ messageId: asMessageId(randomUUID()), amount: 1 }))
  const held = await wallets.hold({ workspaceId, holder, messages })
  if (messages.some(({ messageId }) => held.get(messageId) !== 'held')) throw new Error('a message was not paid for')
  await wallets.settle({
    workspaceId,
    holds: messages.map(({ messageId }) => ({ messageId, holder })),
  })
}

const looped = await closedLoop({ callers, seconds, call: payFor })
const started = performance.now()
const { revision } = await createCommandRunner({ log }).load(of)
const answer: WalletAnswer = {
  ...looped,
  messagesPerSecond: looped.perSecond * batch,
  events: revision + 1,
  loadMs: performance.now() - started,
}
await store.close()
await close()
process.stdout.write(`${JSON.stringify(answer)}\n`)
