import { parseArgs } from 'node:util'
import { type StartedService, startTidings } from '../docs/service.ts'
import { call, cookiesOf } from '../e2e/support/users.ts'
import { readCounts, serverErrors } from './counts.ts'
import { installSchemathesis, runRound } from './schemathesis.ts'
import { runSpellings } from './spellings.ts'

// Fuzzes a service of its own over its /openapi.json, over that of its dashboard as the demo's owner, and with addresses, numbers and names of Unicode's awkward parts, until it has answered so
// many requests: npm run fuzz [-- --requests 100000] [--seed 1] [--only spellings]. Prints the answers by status; fails on any of 500 and above but 503.

const UNLIMITED = {
  TIDINGS_RATE_LIMIT_DEFAULT: 'off',
  TIDINGS_RATE_LIMIT_KEY: 'off',
  TIDINGS_RATE_LIMIT_FORMS: 'off',
  TIDINGS_RATE_LIMIT_SESSION: 'off',
  TIDINGS_LOG_LEVEL: 'error',
}
const EXAMPLES = 200
const MAX_ROUNDS = 1_000
/** Spellings of each round. */
const SPELLINGS = 2_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Both documents with what opens their routes: the key, and the session that the link of the first start gives. */
const openDoors = async ({ url, key, output }: StartedService) => {
  const [, token = ''] = /\/dashboard\/link#(\S+)/.exec(output()) ?? []
  const session = cookiesOf(await call(url, 'POST /auth/link', { body: { token } })).sender_session
  if (session === undefined) throw new Error('the link of the first start gives no session')
  return [
    { document: `${url}/openapi.json`, headers: ['X-Sender-Tenant: demo', `X-API-Key: ${key}`] },
    { document: `${url}/api/v1/dashboard/openapi.json`, headers: [`Authorization: Bearer ${session}`] },
  ]
}

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } },
})
const wanted = Number(values.requests)
const firstSeed = Number(values.seed)
if (!Number.isInteger(wanted) || wanted < 1 || !Number.isInteger(firstSeed)) throw new Error('--requests and --seed take whole numbers')

const fromDocument = values.only !== 'spellings'
if (values.only !== undefined && fromDocument) throw new Error('--only takes spellings')

if (fromDocument) installSchemathesis()
const service = await startTidings(UNLIMITED)
try {
  const doors = fromDocument ? await openDoors(service) : []
  let counts = await readCounts(service.url)
  for (let round = 0; counts.total < wanted && round < MAX_ROUNDS; round++) {
    const examples = Math.min(EXAMPLES, Math.max(1, Math.ceil(wanted / 25)))
    await runSpellings(service, { seed: firstSeed + round, count: Math.min(SPELLINGS, Math.max(1, wanted - counts.total)) })
    for (const { document, headers } of doors) await runRound({ document, headers, seed: firstSeed + round, examples })
    const before = counts.total
    counts = await readCounts(service.url)
    say(`round ${round + 1} (seed ${firstSeed + round}): ${counts.total} requests, ${serverErrors(counts)} server errors`)
    if (counts.total === before) throw new Error('a round sent no requests')
  }
  for (const [status, count] of [...counts.byStatus].sort()) say(`${status}  ${count}`)
  for (const failure of counts.failures) say(failure)
  const errors = serverErrors(counts)
  say(`${counts.total} requests, ${errors} server errors, ${counts.byStatus.get('503') ?? 0} answers of 503`)
  if (errors > 0) {
    say(service.output().slice(-20_000))
    process.exitCode = 1
  }
} finally {
  await service.stop()
}
