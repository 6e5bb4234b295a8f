import { checkEveryKeyInUse, isBeingRotated, postgresKeyStore } from '@tidings/codec/keys'
import { type Config, ConfigError, loadConfig, OperationFailed } from '@tidings/config'
import { assertNotAhead, assertTreeWhole, openLogKey } from '@tidings/evidence/proof'
import { createLog } from '@tidings/observability/log'
import { listProjections } from '@tidings/projections'
import { openStores, type Stores } from '@tidings/service/stores'
import { printAnswer } from '../terminal/answer.ts'
import { checkAddresses } from './doctor-addresses.ts'
import { checkBounceMailbox } from './doctor-bounces.ts'
import { checkDns } from './doctor-dns.ts'
import type { Finding } from './doctor-finding.ts'
import { checkKafka } from './doctor-kafka.ts'
import { checkEmailProvider, checkPush, checkSmsProvider, checkVoiceProvider } from './doctor-providers.ts'
import { checkSearch } from './doctor-search.ts'
import { checkSenders } from './doctor-senders.ts'

const findingOf = async (check: string, mend: string, work: () => Promise<string>): Promise<Finding> => {
  try {
    return { check, ok: true, said: await work() }
  } catch (error) {
    return { check, ok: false, said: error instanceof Error ? error.message : String(error), mend }
  }
}

const checkProjections = async ({ pool, log }: Stores): Promise<string> => {
  const reports = await listProjections(pool, log)
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
    const projected = await findingOf('projections', 'See `tidings projection list`.', () => checkProjections(open))
    const keys = await findingOf('master key', 'See docs/how-to/rotate-the-master-key.md.', () => checkMasterKeys(open))
    const logKey = await findingOf('log key', 'See docs/how-to/rotate-the-master-key.md.', () => nameLogKey(open))
    const tree = await findingOf('log proof', 'See docs/how-to/prove-a-consent.md.', () => checkTree(open))
    const addresses = await orUnread(
      'addresses',
      checkAddresses(open).then((one) => [one]),
    )
    const senders = await orUnread('sender domains', checkSenders(config, open))
    return [opened, projected, await checkSearch(open), keys, logKey, tree, ...addresses, ...senders]
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
