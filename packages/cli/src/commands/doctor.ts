import { WrongMasterKey } from '@tidings/codec'
import { checkEveryKeyInUse, isBeingRotated, postgresKeyStore } from '@tidings/codec/keys'
import { type Config, ConfigError, loadConfig, OperationFailed } from '@tidings/config'
import { assertNotAhead, assertTreeWhole, openLogKey } from '@tidings/evidence/proof'
import { createLog } from '@tidings/observability/log'
import { createServerResolver } from '@tidings/outbound-http'
import { databaseFault } from '@tidings/postgres'
import { listProjections, livingProcesses } from '@tidings/projections'
import { tryMailbox } from '@tidings/receipts/mailbox'
import { kafkaSettings } from '@tidings/service/kafka'
import { checkConnections, openStores, replicaFindings, type Stores } from '@tidings/service/stores'
import type { Pool } from 'pg'
import { printAnswer } from '../terminal/answer.ts'
import type { Finding } from './doctor-finding.ts'
import { checkEmailProvider, checkPush, checkSmsProvider, checkVoiceProvider } from './doctor-providers.ts'
import { checkSenders } from './doctor-senders.ts'

const findingOf = async (check: string, mend: string, work: () => Promise<string>): Promise<Finding> => {
  try {
    return { check, ok: true, said: await work() }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    // The sentence about a key says what to do, and where.
    if (error instanceof Error && error.cause instanceof WrongMasterKey) return { check, ok: false, said }
    const fault = databaseFault(error)
    if (fault === null) return { check, ok: false, said, mend }
    // The sentence of a start says both.
    return said.includes(fault.said) ? { check, ok: false, said } : { check, ok: false, said: `${fault.said}.`, mend: fault.mend }
  }
}

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

const checkStores = async (config: Config): Promise<readonly Finding[]> => {
  const log = await createLog({ level: 'silent', to: 'stderr' })
  let stores: Stores | undefined
  const opened = await findingOf(
    'stores',
    'Start the database, or correct TIDINGS_DATABASE_URL, TIDINGS_EVENT_STORE and TIDINGS_MASTER_KEY.',
    async () => {
      stores = await openStores({ config, log, mode: 'command' })
      const { rows } = await stores.pool.query<{ version: string }>(`select current_setting('server_version') as version`)
      return `Postgres ${rows[0]?.version}, the event log ends at ${(await stores.log.head()).commit}`
    },
  )
  if (stores === undefined) return [opened]
  const open = stores
  try {
    const connections = await findingOf(
      'connections',
      'Raise max_connections of Postgres, or lower TIDINGS_DATABASE_POOL_SIZE or the number of processes.',
      () => checkConnections({ pool: open.pool, poolSize: config.storage.poolSize }),
    )
    const projected = await findingOf('projections', 'See `tidings projection list`.', () => checkProjections(open))
    const keys = await findingOf('master key', 'See docs/how-to/rotate-the-master-key.md.', () => checkMasterKeys(open))
    const logKey = await findingOf('log key', 'See docs/how-to/rotate-the-master-key.md.', () => nameLogKey(open))
    const tree = await findingOf('log proof', 'See docs/how-to/prove-a-consent.md.', () => checkTree(open))
    const addresses = await orUnread(
      'addresses',
      checkAddresses(open).then((one) => [one]),
    )
    const senders = await orUnread('sender domains', checkSenders(config, open))
    const replicas = await Promise.all(
      replicaFindings(config, open).map(({ name, look }) =>
        findingOf(`replica ${name}`, 'Start it, correct TIDINGS_READ_DATABASE_URL, or wait until it has caught up.', look),
      ),
    )
    return [opened, connections, ...replicas, projected, await checkSearch(open), keys, logKey, tree, ...addresses, ...senders]
  } finally {
    await open.close()
  }
}

/** A log or a read side that cannot be read is a finding of its own. */
const orUnread = (check: string, findings: Promise<readonly Finding[]>): Promise<readonly Finding[]> =>
  findings.catch((error: unknown) => {
    const said = error instanceof Error ? error.message : String(error)
    return [{ check, ok: false, said, mend: 'See `tidings projection list`.' }]
  })

const checkConfig = (): Config | Finding => {
  try {
    return loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { check: 'configuration', ok: false, said: error.message, mend: 'Correct it in the environment or in tidings.yaml.' }
  }
}

const report = (findings: readonly Finding[], json: boolean): void => {
  const lines = findings.map(
    ({ check, ok, said, mend }) => `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${said}${mend === undefined ? '' : ` ${mend}`}`,
  )
  printAnswer({ json: { items: findings }, lines }, json)
  const bad = findings.filter(({ ok }) => !ok)
  if (bad.length > 0)
    throw new OperationFailed(`${bad.length} of ${findings.length} checks failed: ${bad.map(({ check }) => check).join(', ')}.`)
}

/** `tidings doctor`: every check runs, whatever the others say; exit 1 when one failed. */
export async function doctor({ json }: Readonly<{ json: boolean }>): Promise<void> {
  const config = checkConfig()
  if ('check' in config) return report([config], json)
  const configured: Finding = { check: 'configuration', ok: true, said: 'every setting can be used' }
  const email = await findingOf('email provider', 'Correct TIDINGS_EMAIL_PROVIDER, or start the relay.', () => checkEmailProvider(config))
  const bounces = await findingOf('bounce mailbox', 'Correct TIDINGS_BOUNCE_MAILBOX, or start the mail server.', () =>
    checkBounceMailbox(config),
  )
  const sms = await findingOf('SMS provider', 'Correct TIDINGS_SMS_PROVIDER, or start it.', () => checkSmsProvider(config))
  const voice = await findingOf('voice provider', 'Correct TIDINGS_VOICE_PROVIDER, or start it.', () => checkVoiceProvider(config))
  const push = await findingOf('web push', 'Correct TIDINGS_VAPID_*, or vapid.key of the data directory.', () => checkPush(config))
  const dns = await findingOf('DNS', 'Correct TIDINGS_DNS_SERVERS, or start the server.', () => checkDns(config))
  const kafka = await findingOf('Kafka', 'Correct TIDINGS_KAFKA_*, or start the brokers.', () => checkKafka(config))
  report([configured, ...(await checkStores(config)), kafka, dns, email, bounces, sms, voice, push], json)
}

type Shared = Readonly<{ slug: string; ids: readonly string[] }>

const SHOWN = 5
/** Reads the index of addresses: one more than is shown, to say that there are more. */
const SHARED = `select w.slug, array_agg(p.id::text order by p.id) as ids
  from read.profiles p join read.workspaces w on w.workspace_id = p.workspace_id
  where p.email is not null group by w.slug, p.workspace_id, p.email having count(*) > 1 order by w.slug, min(p.id::text) limit ${SHOWN + 1}`

/**
 * Whether two contacts of a workspace have one address: a log from before M46 may have them, by two spellings of it. Both are kept, and what names
 * the address reaches one of them. The answer has ids and no address.
 */
export async function checkAddresses({ pool }: Readonly<{ pool: Pool }>): Promise<Finding> {
  const { rows } = await pool.query<Shared>(SHARED)
  if (rows.length === 0) return { check: 'addresses', ok: true, said: 'no two contacts of a workspace have one email address' }
  const named = rows.slice(0, SHOWN).map(({ slug, ids }) => `${ids.join(' and ')} of ${slug}`)
  return {
    check: 'addresses',
    ok: false,
    said: `several contacts have one email address, in spellings that are one (M46): ${named.join('; ')}${rows.length > SHOWN ? '; and more' : ''}`,
    mend: 'Keep one of them: give the other another address by PATCH /public/profiles/{id}, or forget it by `tidings contact erase`.',
  }
}

/** Opens the mailbox of bounces as reading does; throws one sentence when it could not be read. An installation may do without one. */
export async function checkBounceMailbox({
  email,
}: Readonly<{ email: Pick<Config['email'], 'returnPath' | 'bounceMailbox' | 'timeoutMs'> }>): Promise<string> {
  const { returnPath, bounceMailbox, timeoutMs } = email
  if (bounceMailbox !== null) return await tryMailbox(bounceMailbox, timeoutMs)
  if (returnPath === null) return 'none is configured: bounces that come by mail are not read'
  return `mail leaves from ${returnPath}, and TIDINGS_BOUNCE_MAILBOX is not set: what bounces there is not read`
}

/** A name that never exists (RFC 6761): a server answers without asking another one. */
const NO_HOST = 'tidings.invalid'

const answers = (server: string, deadlineMs?: number): Promise<boolean> =>
  createServerResolver(
    [server],
    deadlineMs,
  )(NO_HOST).then(
    () => true,
    () => false,
  )

/** Asks each server of TIDINGS_DNS_SERVERS; throws one sentence that names those that do not answer, in `deadlineMs` if that is given. */
export async function checkDns(
  { dns: { servers } }: Readonly<{ dns: Pick<Config['dns'], 'servers'> }>,
  deadlineMs?: number,
): Promise<string> {
  if (servers.length === 0) return 'webhook hosts are looked up as this machine does'
  const asked = await Promise.all(servers.map(async (server) => ({ server, answered: await answers(server, deadlineMs) })))
  const silent = asked.filter(({ answered }) => !answered).map(({ server }) => server)
  if (silent.length > 0) throw new Error(`no answer from ${silent.join(', ')}.`)
  return `${servers.join(', ')} answers`
}

/** Connects to each broker as the service would, logs in, and asks it for its cluster; throws one sentence when that fails. */
async function checkKafka(config: Pick<Config, 'kafka'>): Promise<string> {
  const settings = await kafkaSettings(config)
  if (settings === null) return 'consumers read the log directly'
  const { probeKafka } = await import('@tidings/bus/kafka')
  return await probeKafka(settings)
}

/** `hidden`: pg_trgm lies in a schema that is not searched for its operator class. */
type SearchExtensions = Readonly<{ missing: readonly string[]; hidden: boolean; indexed: boolean }>

const CREATE = 'Let a role that may create extensions run'
const REBUILD = '`tidings projection rebuild profiles`'

/** Whether searches of profiles have their index. They work without it, so this is advice. */
export async function checkSearch({ pool }: Readonly<{ pool: Pool }>): Promise<Finding> {
  const { rows } = await pool.query<SearchExtensions>(`select
    array(select name from unnest(array['pg_trgm', 'btree_gin']) name where name not in (select extname from pg_extension)) as missing,
    not exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) as hidden,
    to_regclass('read.profile_search_trigrams') is not null as indexed`)
  const { missing, hidden, indexed } = rows[0] ?? { missing: [], hidden: false, indexed: false }
  if (indexed) return { check: 'search', ok: true, said: 'profiles are found by a trigram index' }
  const said = 'there is no trigram index, so that a search reads every profile of the workspace.'
  const create = missing.map((name) => `create extension ${name};`)
  const moved = hidden && !missing.includes('pg_trgm') ? ['alter extension pg_trgm set schema public;'] : []
  const run = [...create, ...moved].join(' ')
  const mend = run === '' ? `Run ${REBUILD}.` : `${CREATE} \`${run}\`, then ${REBUILD}.`
  return { check: 'search', ok: true, said, mend }
}
