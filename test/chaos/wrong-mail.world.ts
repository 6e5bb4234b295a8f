import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Applied } from '@tidings/provisioning'
import { startTestPostgres } from '@tidings/testing'
import { type Installation, install } from '../e2e/support/installation.ts'
import type { Environment } from '../e2e/support/service-process.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'
import { byCallers, insist } from './callers.ts'
import type { PersonPlan, Plan } from './wrong-mail.plan.ts'
import { domainOf, marked, type Providers, phoneOf, SESSIONS, startProviders } from './wrong-mail.providers.ts'

type Answered = Readonly<{ status: number; code: string; message: string; data: Readonly<Record<string, unknown>> }>

/** An integrator of a workspace, who repeats what has no answer under the same key. */
type Shop = Readonly<{
  applied: Applied
  /** Null when no answer came. */
  ask: (method: string, path: string, body: object, key?: string) => Promise<Answered | null>
  /** Repeats until it is answered 2xx or 4xx. */
  insist: (method: string, path: string, body: object) => Promise<Answered>
}>

/** `ofNo`: when the answer to his no came, and whom it concerns. Times are ms since 1970, by the clock of the test. */
export type Person = PersonPlan & Readonly<{ n: number; id: string; email: string; phone: string }>

export type World = Readonly<{
  plan: Plan
  providers: Providers
  installation: Installation
  stack: Stack
  shop: Shop
  /** Sends nothing but passcodes. */
  calm: Shop
  people: readonly Person[]
  /** A command of the operator, who asks again where a store did not answer. Null where an earlier try has done it. Throws a refusal. */
  operate: (args: readonly string[], stdin?: string) => Promise<unknown>
  applyRule: (rule: RuleName) => Promise<void>
  stop: () => Promise<void>
}>

/** `wide` has whom `narrow` has, and more. */
type RuleName = 'wide' | 'narrow'

const RULES: Readonly<Record<RuleName, number>> = { wide: 100, narrow: 1_000 }
/** What a person has spent; who joins begins below both rules. */
const SPENT: Readonly<Record<PersonPlan['kind'], number>> = { always: 5_000, between: 500, never: 0, joiner: 0, orderer: 0 }
export const CREDITS = 100_000
export const SENDER = 'STORE'
export const CALM_SENDER = 'CALM'
const CALLERS = 8
const ADDED = 100
/** The number of persons for each way that campaigns go. */
const CAMPAIGNS = 40
const CLOCK = pathToFileURL(`${import.meta.dirname}/shifted-clock.ts`).href

const template = (name: string, channel: 'email' | 'sms'): string =>
  channel === 'email'
    ? `  - { name: ${name}, channel: email, subject: "${marked(name)}", html: "<p>Hi</p>" }`
    : `  - { name: ${name}, channel: sms, body: "${marked(name)}" }`

const campaignNames = (prefix: string): readonly string[] => Array.from({ length: CAMPAIGNS }, (_, n) => `${prefix}${n}`)

/** Campaigns `mail…` and `text…` go to all, `rich…` to the list by rule. */
const campaign = (name: string, channel: 'email' | 'sms'): string => {
  const [list, from] = [name.startsWith('rich') ? 'Rich' : 'All', channel === 'email' ? 'hello@shop.example' : SENDER]
  return `  - { name: ${name}, channel: ${channel}, list: ${list}, template: ${name}, from: ${from} }`
}

const fileOf = (rule: RuleName, flows = FLOWS): string => {
  const mails = [...campaignNames('mail'), ...campaignNames('rich')]
  const texts = campaignNames('text')
  return `workspace: { slug: shop, name: Shop }
apiKeys: [{ name: test }]
senderDomains: [{ domain: shop.example, verified: true }]
senderAddresses: [{ email: hello@shop.example, name: Hello, verified: true }]
smsSenderIds: [{ id: ${SENDER}, status: approved }]
credits: ${CREDITS}
templates:
${[...['joined', 'right', 'wrong', ...mails].map((name) => template(name, 'email')), ...texts.map((name) => template(name, 'sms'))].join('\n')}
lists:
  - { name: All, type: static }
  - { name: Rich, type: dynamic, rule: { all: [ { field: customProperties.spend, op: gte, value: ${RULES[rule]} } ] } }
campaigns:
${[...mails.map((name) => campaign(name, 'email')), ...texts.map((name) => campaign(name, 'sms'))].join('\n')}
${flows}`
}

/** Made when everybody is where he belongs: members that a list has when a flow is made have not joined it. */
const FLOWS = `flows:
  - name: Joined
    trigger: { type: list_joined, list: Rich }
    steps: [ { send: { channel: email, template: joined, from: hello@shop.example } } ]
  - name: Ordered
    trigger: { type: custom_event, event: ordered }
    steps:
      - branch:
          rule: { field: event.ordered.count, op: gte, value: 1 }
          then: [ { send: { channel: email, template: right, from: hello@shop.example } } ]
          else: [ { send: { channel: email, template: wrong, from: hello@shop.example } } ]
`

const CALM = `workspace: { slug: calm, name: Calm }
apiKeys: [{ name: test }]
smsSenderIds: [{ id: ${CALM_SENDER}, status: approved }]
credits: ${CREDITS}
`

const shopOf = (url: string, applied: Applied): Shop => {
  const headers = {
    'Content-Type': 'application/json',
    'X-Sender-Tenant': applied.workspace.slug,
    'X-API-Key': applied.apiKeys[0]?.key ?? '',
  }
  const ask: Shop['ask'] = async (method, path, body, key) => {
    try {
      const keyed = key === undefined ? headers : { ...headers, 'Idempotency-Key': key }
      const response = await fetch(`${url}/api/v1${path}`, { method, headers: keyed, body: JSON.stringify(body) })
      const { code = '', message = '', data = {} } = (await response.json()) as Partial<Answered>
      return { status: response.status, code, message, data }
    } catch {
      return null
    }
  }
  return {
    ask,
    applied,
    insist: (method, path, body) => {
      const key = crypto.randomUUID()
      return insist(async () => {
        const answer = await ask(method, path, body, key)
        const isLater = answer === null || answer.status >= 500 || answer.status === 429 || answer.code === 'idempotency_in_progress'
        return isLater ? null : answer
      })
    },
  }
}

/** The person as the plan has him, a member of the list of all. */
const makePeople = async ({ insist: ask, applied }: Shop, plans: Plan['people']): Promise<readonly Person[]> => {
  const people = await byCallers(CALLERS, plans.length, async (n): Promise<Person> => {
    const plan: PersonPlan = plans[n] ?? { kind: 'never', no: null, trouble: null }
    const [email, phone] = [`p${n}@${domainOf(plan.trouble)}`, phoneOf(plan.trouble, 0, n)]
    const consents = { emailConsent: 'subscribed', smsConsent: 'subscribed' }
    const profile = { email, phone, ...consents, customProperties: { spend: SPENT[plan.kind] } }
    const { status, message, data } = await ask('PUT', '/public/profiles', profile)
    if (status !== 200) throw new Error(`a profile was answered ${status}: ${message}`)
    return { ...plan, n, id: String(data.id), email, phone }
  })
  for (let n = 0; n < people.length; n += ADDED) {
    const contactIds = people.slice(n, n + ADDED).map(({ id }) => id)
    const { status } = await ask('POST', `/public/lists/${applied.lists.All}/members`, { contactIds })
    if (status !== 200) throw new Error(`members of a list were answered ${status}`)
  }
  return people
}

const membersOf = async ({ pool }: Installation, { applied }: Shop): Promise<number> => {
  const { rows } = await pool.query<{ members: number }>('select count(*)::int as members from read.list_members where list_id = $1', [
    applied.lists.Rich,
  ])
  return rows[0]?.members ?? 0
}

const settingsOf = (providers: Providers): Environment => ({
  TIDINGS_EMAIL_PROVIDER: providers.emailUrl,
  TIDINGS_SMS_PROVIDER: providers.smsUrl,
  TIDINGS_SMTP_CONNECTIONS: String(SESSIONS),
  TIDINGS_PROVIDER_TIMEOUT_MS: '5000',
  // A person whom no provider serves is given up soon: a run ends when nothing waits.
  TIDINGS_SEND_RETRY_SECONDS: '2,5,10,20',
  // Seven processes and the operator's commands share one server.
  TIDINGS_DATABASE_POOL_SIZE: '5',
  TIDINGS_PASSCODES_PER_WORKSPACE: 'off',
  TIDINGS_PASSCODES_PER_PREFIX: 'off',
})

const UNANSWERED = /timeout|timed out|terminated|ECONN|has not shown|busy|contended|\bserve/i
const OPERATE_MS = 90_000

const operatorOf = ({ tidings }: Installation): World['operate'] => {
  return async (args, stdin) => {
    for (const deadline = Date.now() + OPERATE_MS, tries = { count: 0 }; ; tries.count++) {
      try {
        return await tidings(args, stdin)
      } catch (error) {
        const isUnanswered = UNANSWERED.test(error instanceof Error ? error.message : '')
        if (!isUnanswered && tries.count > 0) return null
        if (!isUnanswered || Date.now() > deadline) throw error
        await sleep(500)
      }
    }
  }
}

/** Ends what was started, the last first. */
type Closing = (() => Promise<unknown>)[]

const closeAll = async (closing: Closing): Promise<void> => {
  for (const close of closing.reverse()) await close()
}

const open = async (plan: Plan, closing: Closing): Promise<Omit<World, 'stop'>> => {
  const postgres = await startTestPostgres()
  closing.push(postgres.stop)
  const providers = await startProviders(plan.sms)
  closing.push(providers.stop)
  const installation = await install(postgres.url, settingsOf(providers))
  closing.push(installation.close)
  const clocks = plan.offsets.map((offset) => ({ NODE_OPTIONS: `--import=${CLOCK}`, CHAOS_CLOCK_OFFSET_MS: String(offset) }))
  const seats = [['command-api'], ['query-api'], ['projectors'], ['consumers'], ['consumers']] as const
  const stack = await startStack(installation.env, seats, clocks)
  closing.push(stack.stop)
  const operate = operatorOf(installation)
  const apply = (file: string) => operate(['apply', '-f', '-'], file) as Promise<Applied>
  const shop = shopOf(stack.url, await apply(fileOf('wide', '')))
  const calm = shopOf(stack.url, await apply(CALM))
  const people = await makePeople(shop, plan.people)
  const members = people.filter(({ kind }) => kind === 'always' || kind === 'between').length
  await insist(async () => ((await membersOf(installation, shop)) === members ? members : null))
  await apply(fileOf('wide'))
  return {
    ...{ plan, providers, installation, stack, shop, calm, operate, people },
    applyRule: async (rule) => void (await apply(fileOf(rule))),
  }
}

/** Roles in processes of their own, two of which send; their clocks differ as the plan says. */
export async function startWorld(plan: Plan): Promise<World> {
  const closing: Closing = []
  try {
    return { ...(await open(plan, closing)), stop: () => closeAll(closing) }
  } catch (error) {
    await closeAll(closing)
    throw error
  }
}
