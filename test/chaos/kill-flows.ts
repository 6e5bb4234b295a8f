import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '@tidings/config'
import { asContactId, asFlowId, asMessageId, type ContactId, type EnrolmentEvent, enrolmentStream } from '@tidings/domain'
import { createLog } from '@tidings/observability/log'
import type { Role } from '@tidings/service'
import { openStores } from '@tidings/service/stores'
import { startTestPostgres } from '@tidings/testing'
import { type Client, clientOf } from '../e2e/support/client.ts'
import { type Installation, install } from '../e2e/support/installation.ts'
import { startStack } from '../e2e/support/stack.ts'
import { byCallers, insist } from './callers.ts'
import type { TakenMail } from './kill-service.sink.ts'
import { startSinkProcess } from './sink-process.ts'
import { killVictims } from './victims.ts'

/** `victims`: whose process is killed and started again, one after the other, while `runs` contacts are inside a flow. */
export type FlowChaos = Readonly<{ victims: readonly Role[]; runs: number }>

/** `doubled`: mails that were sent again under the same id, which a kill between a provider's yes and the append may do. */
export type FlowChaosResult = Readonly<{
  kills: number
  finished: number
  missing: number
  repeatedSteps: number
  wrongMails: number
  doubled: number
}>

/** Two mails, one before and one after a wait; the branch leads every other contact past a third. */
const FILE = `workspace: { slug: demo, name: Demo }
apiKeys: [{ name: test }]
senderDomains: [{ domain: demo.example, verified: true }]
senderAddresses: [{ email: hello@demo.example, name: Hello, verified: true }]
templates:
  - { name: first, channel: email, subject: first, html: "<p>1</p>" }
  - { name: extra, channel: email, subject: extra, html: "<p>2</p>" }
  - { name: last, channel: email, subject: last, html: "<p>3</p>" }
flows:
  - name: After order
    trigger: { type: custom_event, event: order_placed }
    steps:
      - send: { channel: email, template: first, from: hello@demo.example }
      - branch:
          rule: { field: tags, op: contains, value: vip }
          then: [ { send: { channel: email, template: extra, from: hello@demo.example } } ]
      - wait: { minutes: 1 }
      - send: { channel: email, template: last, from: hello@demo.example }
`

const CALLERS = 16

type Person = Readonly<{ id: ContactId; isVip: boolean }>

const enter = async (client: Client, n: number): Promise<Person> => {
  const isVip = n % 2 === 0
  const person = { email: `person-${n}@demo.example`, emailConsent: 'subscribed', tags: isVip ? ['vip'] : [] }
  const id = asContactId(
    await insist(async () => {
      const { status, body } = await client.request('PUT', '/public/profiles', person)
      return status === 200 ? (body.data as { id: string }).id : null
    }),
  )
  await insist(async () => {
    const { status } = await client.request('POST', '/events/ingest', { event: 'order_placed', contactId: id })
    return status === 200 ? id : null
  })
  return { id, isVip }
}

const typesOf = ({ isVip }: Person): readonly string[] => {
  const message = ['FlowMessageQueued', 'FlowMessageResolved']
  return ['ContactEnteredFlow', ...message, 'FlowBranchTaken', ...(isVip ? message : []), 'FlowWaitBegun', ...message, 'ContactLeftFlow']
}

/** Kills each victim in turn while the runs go on; then looks for every step of every run in the log, and for its mails. */
export async function killFlows({ victims, runs }: FlowChaos): Promise<FlowChaosResult> {
  const postgres = await startTestPostgres()
  const sink = await startSinkProcess()
  const installation = await install(postgres.url, {
    TIDINGS_EMAIL_PROVIDER: sink.url,
    TIDINGS_RATE_LIMIT_DEFAULT: 'off',
    TIDINGS_RATE_LIMIT_KEY: 'off',
  })
  const stack = await startStack(installation.env)
  try {
    const applied = (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied']
    const client = clientOf({ url: stack.url, applied })
    const entering = byCallers(CALLERS, runs, (n) => enter(client, n))
    entering.catch(() => undefined) // awaited below
    await killVictims(stack, victims)
    const people = await entering
    await untilOver(installation, runs)
    return { kills: victims.length, ...audit(await waysOf(installation, applied, people), await sink.taken()) }
  } finally {
    await stack.stop()
    await installation.close()
    sink.stop()
    await postgres.stop()
  }
}

/** Waits until every run is over, or nothing has ended for so long that the audit may say what is missing. */
const untilOver = async ({ pool }: Installation, runs: number): Promise<void> => {
  let last = 0
  for (let rounds = 0; rounds < 600; rounds++) {
    const { rows } = await pool.query<{ over: number }>(`select count(*)::int as over from read.flow_runs where state = 'over'`)
    const over = rows[0]?.over ?? 0
    if (over === runs) return
    if (over > last) rounds = 0
    last = over
    await sleep(500)
  }
}

type PersonWay = Readonly<{ person: Person; events: readonly EnrolmentEvent[] }>

async function waysOf({ env }: Installation, applied: Client['applied'], people: readonly Person[]): Promise<readonly PersonWay[]> {
  const log = await createLog({ level: 'error', to: 'stderr' })
  const stores = await openStores({ config: loadConfig(env), log, mode: 'command' })
  const { id: workspaceId } = applied.workspace
  const flowId = asFlowId(applied.flows['After order'] ?? '')
  try {
    const ways: PersonWay[] = []
    for (const person of people) {
      const events = await stores.log.readStream<EnrolmentEvent>(workspaceId, enrolmentStream(workspaceId, flowId, person.id))
      ways.push({ person, events })
    }
    return ways
  } finally {
    await stores.close()
  }
}

const audit = (ways: readonly PersonWay[], taken: readonly TakenMail[]): Omit<FlowChaosResult, 'kills'> => {
  const queued = new Set(
    ways.flatMap(({ events }) => events.flatMap((event) => (event.type === 'FlowMessageQueued' ? [event.data.messageId] : []))),
  )
  const mailed = new Set(taken.map(({ messageId }) => messageId))
  const walked = ways.map(({ person, events }) => ({ wanted: typesOf(person), way: events.map(({ type }) => type as string) }))
  return {
    finished: walked.filter(({ way }) => way.at(-1) === 'ContactLeftFlow').length,
    missing: walked.filter(({ wanted, way }) => wanted.some((type) => !way.includes(type))).length,
    repeatedSteps: walked.filter(({ wanted, way }) => way.join() !== wanted.join()).length,
    wrongMails: [...queued].filter((id) => !mailed.has(id)).length + [...mailed].filter((id) => !queued.has(asMessageId(id))).length,
    doubled: taken.reduce((sum, { at }) => sum + at.length - 1, 0),
  }
}
