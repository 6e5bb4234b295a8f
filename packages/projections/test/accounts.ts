import type { Event, EventDeclarations, WorkspaceId } from '@tidings/domain'
import { type AnyProjection, defineProjection, defineTable, type Projection, row } from '../src/index.ts'
import type { Index, Table } from '../src/table.ts'

// A bank in miniature: enough to fold, to count over many streams, to delete, and to be poisoned in both ways.

type AccountOpened = Event<'AccountOpened', { id: string; owner: string }>
/** `amount` is a text, so that a test can write what no bigint holds. */
type MoneyDeposited = Event<'MoneyDeposited', { id: string; amount: string }>
type AccountClosed = Event<'AccountClosed', { id: string }>
export type AccountEvent = AccountOpened | MoneyDeposited | AccountClosed

export const accountDeclarations: EventDeclarations = {
  AccountOpened: { version: 1 },
  MoneyDeposited: { version: 1 },
  AccountClosed: { version: 1 },
  SomethingElse: { version: 1 },
}

type AccountRow = { workspace_id: WorkspaceId; id: string; owner: string; balance: string; deposits: number; opened_at: string }
type TotalRow = { workspace_id: WorkspaceId; accounts: bigint }

const accountsTable = (owner: Partial<Index> = {}): Table<AccountRow> =>
  defineTable<AccountRow>({
    name: 'accounts',
    columns: { workspace_id: 'uuid', id: 'uuid', owner: 'text', balance: 'bigint', deposits: 'integer', opened_at: 'timestamptz' },
    key: ['workspace_id', 'id'],
    indices: [{ name: 'owner', on: 'workspace_id, owner', ...owner }],
    cachedRows: 4,
  })

const totals = defineTable<TotalRow>({
  name: 'account_totals',
  columns: { workspace_id: 'uuid', accounts: 'bigint' },
  key: ['workspace_id'],
})

/** This word in a deposit makes the fold throw; `99999999999999999999` gets past the fold, and Postgres refuses it. */
export const REFUSED_BY_FOLD = 'refused'
export const REFUSED_BY_POSTGRES = '99999999999999999999'

const definitionOver = (accounts: Table<AccountRow>): Projection<AccountEvent> => ({
  name: 'accounts',
  version: 1,
  tables: [accounts, totals],
  reads: ({ type, data, meta: { workspaceId } }) => [
    ...(type === 'AccountOpened' ? [] : [row(accounts, workspaceId, data.id)]),
    ...(type === 'MoneyDeposited' ? [] : [row(totals, workspaceId)]),
  ],
  on: {
    AccountOpened: ({ data: { id, owner }, meta: { workspaceId, at } }, rows) => {
      rows.create(accounts, { workspace_id: workspaceId, id, owner, balance: '0', deposits: 0, opened_at: at })
      rows.put(totals, { workspace_id: workspaceId, accounts: (rows.get(totals, workspaceId)?.accounts ?? 0n) + 1n })
    },
    MoneyDeposited: ({ data: { id, amount }, meta: { workspaceId } }, rows) => {
      if (amount === REFUSED_BY_FOLD) throw new Error('no such amount')
      const known = rows.get(accounts, workspaceId, id)
      if (known === undefined) return
      const balance = String(BigInt(known.balance) + BigInt(amount))
      rows.put(accounts, { ...known, balance, deposits: known.deposits + 1 })
    },
    AccountClosed: ({ data: { id }, meta: { workspaceId } }, rows) => {
      if (rows.get(accounts, workspaceId, id) === undefined) return
      rows.delete(accounts, workspaceId, id)
      rows.put(totals, { workspace_id: workspaceId, accounts: (rows.get(totals, workspaceId)?.accounts ?? 1n) - 1n })
    },
  },
})

const definition = definitionOver(accountsTable())

export const accountsProjection: AnyProjection = defineProjection(definition)

/** The same tables with a fold that lets every deposit through: what a repaired deployment would run. */
export const mendedProjection: AnyProjection = defineProjection({
  ...definition,
  on: { ...definition.on, MoneyDeposited: () => undefined },
})

export const stoppingProjection: AnyProjection = defineProjection({ ...definition, onPoison: 'stop' })

/** The same, and no owner has two accounts. */
export const oneAccountEach: AnyProjection = defineProjection(definitionOver(accountsTable({ unique: true })))

export const nextVersion: AnyProjection = defineProjection({ ...definition, version: 2 })

const renamed = {
  ...accountsTable(),
  columns: { ...accountsTable().columns, owner: 'text?', note: 'text?' },
} as const satisfies Table<AccountRow>

/** The next version, whose accounts have one more column. */
export const widerVersion: AnyProjection = defineProjection({ ...definitionOver(renamed), version: 2 })

const oneTable = accountsTable()

/** The next version, which counts no accounts any more: its only table is `accounts`. */
export const fewerTables: AnyProjection = defineProjection<AccountEvent>({
  name: 'accounts',
  version: 2,
  tables: [oneTable],
  reads: ({ meta: { workspaceId }, data: { id } }) => [row(oneTable, workspaceId, id)],
  on: {
    AccountOpened: ({ data: { id, owner }, meta: { workspaceId, at } }, rows) =>
      rows.create(oneTable, { workspace_id: workspaceId, id, owner, balance: '0', deposits: 0, opened_at: at }),
    MoneyDeposited: () => undefined,
    AccountClosed: ({ data: { id }, meta: { workspaceId } }, rows) => rows.delete(oneTable, workspaceId, id),
  },
})

const notes: Table<TotalRow> = { ...totals, name: 'account_notes' }

/** The next version, with one table more, which stays empty. */
export const moreTables: AnyProjection = defineProjection({ ...definition, version: 2, tables: [...definition.tables, notes] })
