import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Group, runGroup } from './lib/bench.ts'
import { endChildren } from './lib/children.ts'
import { machine, machineLine, methodOf } from './lib/machine.ts'
import { type ReportRow, table } from './lib/report.ts'
import { accept, acceptSms } from './rows/accept.ts'
import { analyst } from './rows/analyst.ts'
import { appends } from './rows/appends.ts'
import { beside } from './rows/beside.ts'
import { campaigns } from './rows/campaign.ts'
import { exporting } from './rows/export.ts'
import { getMessage } from './rows/get-message.ts'
import { idle } from './rows/idle.ts'
import { ingest } from './rows/ingest.ts'
import { ladder } from './rows/ladder.ts'
import { memory } from './rows/memory.ts'
import { neighbours } from './rows/neighbours.ts'
import { owners } from './rows/owners.ts'
import { passcodes } from './rows/passcodes.ts'
import { processes } from './rows/processes.ts'
import { queryApi } from './rows/query-api.ts'
import { rebuild } from './rows/rebuild.ts'
import { relay } from './rows/relay.ts'
import { replicaReads } from './rows/replicas.ts'
import { send, sendSms } from './rows/send.ts'
import { sendEventStoreDb } from './rows/send-eventstoredb.ts'
import { sendKafka } from './rows/send-kafka.ts'
import { start } from './rows/start.ts'
import { verifyLog } from './rows/verify-log.ts'
import { visible } from './rows/visible.ts'
import { walletHolds } from './rows/wallet.ts'
import { webhooks } from './rows/webhooks.ts'
import { webhooksKafka } from './rows/webhooks-kafka.ts'

const GROUPS: readonly Group[] = [
  appends,
  walletHolds,
  visible,
  accept,
  acceptSms,
  passcodes,
  ingest,
  getMessage,
  queryApi,
  replicaReads,
  ladder,
  send,
  sendSms,
  campaigns,
  beside,
  neighbours,
  relay,
  sendKafka,
  sendEventStoreDb,
  processes,
  webhooks,
  webhooksKafka,
  owners,
  rebuild,
  analyst,
  verifyLog,
  exporting,
  memory,
  idle,
  start,
]

/** Each of them takes many minutes. */
const LONG = [neighbours, owners, rebuild, exporting, analyst, webhooks].map(({ name }) => name)

const USAGE = `npm run bench -- [--json FILE] [--only NAME,…] [--seconds N] [--runs N] [--size full|small] [--dir FOLDER] [--cpu-prof FOLDER]
names: ${GROUPS.map(({ name }) => name).join(', ')}
many minutes: ${LONG.join(', ')}`

const options = {
  json: { type: 'string' },
  only: { type: 'string' },
  seconds: { type: 'string', default: '3' },
  runs: { type: 'string', default: '5' },
  size: { type: 'string', default: 'full' },
  dir: { type: 'string' },
  'cpu-prof': { type: 'string' },
} as const

const refuse = (why: string): never => {
  process.stderr.write(`${why}\n${USAGE}\n`)
  process.exit(2)
}

const whole = (name: string, text: string): number =>
  /^[1-9]\d{0,3}$/.test(text) ? Number(text) : refuse(`--${name} must be a whole number, not ${text}.`)

const asked = () => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const values = asked()
const lackOf = (group: Group | undefined): string | null => group?.lacks?.(process.env) ?? null
const only = values.only?.split(',') ?? GROUPS.filter((group) => lackOf(group) === null).map(({ name }) => name)
const unknown = only.find((name) => !GROUPS.some((group) => group.name === name))
if (unknown !== undefined) refuse(`There is no ${unknown}.`)
const lacking = only.map((name) => lackOf(GROUPS.find((group) => group.name === name))).find((lack) => lack !== null)
if (lacking !== undefined && lacking !== null) refuse(lacking)
const profileDir = values['cpu-prof'] === undefined ? null : resolve(values['cpu-prof'])
if (profileDir !== null) mkdirSync(profileDir, { recursive: true })
const size = values.size === 'full' || values.size === 'small' ? values.size : refuse(`--size must be full or small, not ${values.size}.`)
const measuring = {
  seconds: whole('seconds', values.seconds),
  runs: whole('runs', values.runs),
  size,
  profileDir,
  parent: values.dir,
} as const

const here = await machine(values.dir)
process.stderr.write(`${methodOf(measuring)}\n${machineLine(here)}\n\n`)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, endChildren)
const rows: ReportRow[] = []
for (const group of GROUPS.filter(({ name }) => only.includes(name))) rows.push(...(await runGroup(group, measuring)))

process.stdout.write(`${methodOf(measuring)}\n${machineLine(here)}\n\n${table(rows)}\n`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine: here, rows }, null, 2)}\n`)
