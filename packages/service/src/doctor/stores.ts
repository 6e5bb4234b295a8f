import { checkEveryKeyInUse, isBeingRotated, postgresKeyStore } from '@tidings/codec/keys'
import type { Config } from '@tidings/config'
import { assertNotAhead, assertTreeWhole, openLogKey } from '@tidings/evidence/proof'
import { listProjections, livingProcesses } from '@tidings/projections'
import { replicaFindings } from '../replicas/replica-findings.ts'
import { checkConnections } from '../stores/connections-left.ts'
import type { Stores } from '../stores/open-stores.ts'
import { checkAddresses } from './addresses.ts'
import { type Finding, findingOf } from './finding.ts'
import { checkSearch } from './search.ts'
import { checkSenders } from './senders.ts'
import { checkWaiting } from './waiting.ts'

/** `silent`: no process is heard of that runs it. Where none runs at all, nothing waits for it. */
export async function checkProjections({ pool, log }: Pick<Stores, 'pool' | 'log'>): Promise<string> {
  const reports = await listProjections(pool, log)
  const unfollowed = reports.filter(({ state }) => state === 'silent' || state === 'stopped')
  if (unfollowed.length > 0 && (await livingProcesses(pool)) > 0)
    throw new Error(
      `no process runs ${unfollowed.map(({ name }) => name).join(', ')}: writes are kept, and answered with \`pending\`. Start one with the role projectors.`,
    )
  const failed = reports.filter(({ failure, parkedStreams }) => failure !== null || parkedStreams > 0)
  if (failed.length > 0) throw new Error(`not healthy: ${failed.map(({ name }) => name).join(', ')}`)
  return `${reports.length} projections, none failed or with parked streams`
}

/** Checks every key, unlike a start, which trusts what the database says about them. */
const checkMasterKeys = async ({ pool, masters }: Stores): Promise<string> => {
  const store = postgresKeyStore(pool)
  await checkEveryKeyInUse(store, masters, true)
  if (await isBeingRotated(store)) throw new Error('a rotation of the master key was begun and is not done')
  return `every key is wrapped under a master key that is here, the newest is ${masters.current().id}`
}

/** An auditor compares it with that of an export. */
const nameLogKey = async ({ keyRing }: Stores): Promise<string> =>
  `exports of consents are signed by the key with the fingerprint ${(await openLogKey(keyRing)).fingerprint}`

const checkTree = async ({ pool }: Stores): Promise<string> => {
  await assertTreeWhole(pool)
  await assertNotAhead(pool)
  return 'the tree over the log has all of its hashes; `log verify` compares them'
}

/** Whether the stores are there; `open` answers with them. */
export function storesFinding(open: () => Promise<Pick<Stores, 'pool' | 'log'>>): Promise<Finding> {
  return findingOf(
    'stores',
    'Start the database, or correct TIDINGS_DATABASE_URL, TIDINGS_EVENT_STORE and TIDINGS_MASTER_KEY.',
    async () => {
      const { pool, log } = await open()
      const { rows } = await pool.query<{ version: string }>(`select current_setting('server_version') as version`)
      return `Postgres ${rows[0]?.version}, the event log ends at ${(await log.head()).commit}`
    },
  )
}

/** What is in the stores, one check after the other. */
export async function storeFindings(config: Config, stores: Stores): Promise<readonly Finding[]> {
  const connections = await findingOf(
    'connections',
    'Raise max_connections of Postgres, or lower TIDINGS_DATABASE_POOL_SIZE or the number of processes.',
    () => checkConnections({ pool: stores.pool, poolSize: config.storage.poolSize }),
  )
  const projected = await findingOf('projections', 'See `tidings projection list`.', () => checkProjections(stores))
  const waiting = await findingOf(
    'waiting work',
    'Start a process that has it (see docs/how-to/a-bad-day.md), or give the dead letters up: docs/how-to/redrive-dead-letters.md.',
    () => checkWaiting(stores),
  )
  const keys = await findingOf('master key', 'See docs/how-to/rotate-the-master-key.md.', () => checkMasterKeys(stores))
  const logKey = await findingOf('log key', 'See docs/how-to/rotate-the-master-key.md.', () => nameLogKey(stores))
  const tree = await findingOf('log proof', 'See docs/how-to/prove-a-consent.md.', () => checkTree(stores))
  const addresses = await orUnread(
    'addresses',
    checkAddresses(stores).then((one) => [one]),
  )
  const search = await orUnread(
    'search',
    checkSearch(stores).then((one) => [one]),
  )
  const senders = await orUnread('sender domains', checkSenders(config, stores))
  const replicas = await Promise.all(
    replicaFindings(config, stores).map(({ name, look }) =>
      findingOf(`replica ${name}`, 'Start it, correct TIDINGS_READ_DATABASE_URL, or wait until it has caught up.', look),
    ),
  )
  return [connections, ...replicas, projected, waiting, ...search, keys, logKey, tree, ...addresses, ...senders]
}

/** A log or a read side that cannot be read is a finding of its own. */
const orUnread = (check: string, findings: Promise<readonly Finding[]>): Promise<readonly Finding[]> =>
  findings.catch((error: unknown) => {
    const said = error instanceof Error ? error.message : String(error)
    return [{ check, ok: false, said, mend: 'See `tidings projection list`.' }]
  })
