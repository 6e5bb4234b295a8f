import { setTimeout as sleep } from 'node:timers/promises'
import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { asCampaignId, type CampaignMove, campaign, campaignStream, Refused } from '@tidings/domain'
import { createLog } from '@tidings/observability/log'
import { createProvisioner } from '@tidings/provisioning'
import type { Role } from '@tidings/service'
import { openStores } from '@tidings/service/stores'
import { PATIENT_MS, startTestPostgres } from '@tidings/testing'
import { type Client, clientOf } from '../e2e/support/client.ts'
import { type Installation, install } from '../e2e/support/installation.ts'
import { startStack } from '../e2e/support/stack.ts'
import { byCallers, insist } from './callers.ts'
import { startSinkProcess } from './sink-process.ts'
import { killVictims } from './victims.ts'

/** `victims`: whose process is killed and started again, one after the other, while a campaign of `recipients` is sent; `pauses`: how often it is paused and resumed beside. */
export type CampaignChaos = Readonly<{ victims: readonly Role[]; recipients: number; pauses: number }>

/**
 * `missing`: recipients without mail; `strangers`: mails to others; `second`: recipients of a second message of the campaign; `doubled`: mails that
 * were sent again under the same id, which a kill between a provider's yes and the append may do; `p99Ms`: of transactional mail beside it, from the
 * request to the mail, those that no kill delayed.
 */
export type CampaignChaosResult = Readonly<{
  kills: number
  status: string
  missing: number
  strangers: number
  second: number
  doubled: number
  transactional: Readonly<{ sent: number; missing: number; p99Ms: number }>
  seconds: number
}>

const FILE = `workspace: { slug: demo, name: Demo }
apiKeys: [{ name: test }]
senderDomains: [{ domain: demo.example, verified: true }]
senderAddresses: [{ email: hello@demo.example, name: Hello, verified: true }]
templates: [{ name: sale, channel: email, subject: "Sale {{firstName}}", html: "<p>{{firstName}}</p>" }]
lists: [{ name: All, type: static }]
campaigns: [{ name: Spring, channel: email, list: All, template: sale, from: hello@demo.example }]
`

const CALLERS = 16
/** Contacts of one request that adds to a list. */
const ADDED = 100

const subscribe = (client: Client, n: number): Promise<string> =>
  insist(async () => {
    const person = { email: `person-${n}@demo.example`, firstName: `p${n}`, emailConsent: 'subscribed' }
    const { status, body } = await client.request('PUT', '/public/profiles', person)
    return status === 200 ? (body.data as { id: string }).id : null
  })

/** People who agreed to mail, all on the list `All`. */
export async function subscribeToList(client: Client, recipients: number): Promise<void> {
  const ids = await byCallers(CALLERS, recipients, (n) => subscribe(client, n))
  for (let n = 0; n < ids.length; n += ADDED)
    await insist(async () => {
      const contactIds = ids.slice(n, n + ADDED)
      const { status } = await client.request('POST', `/public/lists/${client.applied.lists.All}/members`, { contactIds })
      return status < 300 ? status : null
    })
}

/** Transactional mail beside the campaign, one after the other until `over`: when each was asked for, by message. */
const transactional = async (client: Client, over: () => boolean): Promise<ReadonlyMap<string, number>> => {
  const asked = new Map<string, number>()
  for (let n = 0; !over(); n++) {
    const at = Date.now()
    const mail = { to: `person-${n % 10}@demo.example`, fromEmail: 'hello@demo.example', subject: 'receipt', html: '<p>1</p>' }
    const answer = await client.request('POST', '/public/messages/email', mail).catch(() => null)
    if (answer !== null && answer.status < 300) asked.set((answer.body.data as { messageId: string }).messageId, at)
    await sleep(100)
  }
  return asked
}

/** Kills each victim in turn while a campaign is sent, paused and resumed; then counts the mails that left. */
export async function killCampaigns({ victims, recipients, pauses }: CampaignChaos): Promise<CampaignChaosResult> {
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
    await subscribeToList(client, recipients)
    const began = Date.now()
    const { move, close } = await openMoves(installation, applied)
    await move('start')
    let isOver = false
    const asking = transactional(client, () => isOver)
    const killing = killVictims(stack, victims)
    killing.catch(() => undefined) // awaited below
    for (let n = 0; n < pauses; n++) {
      await sleep(Math.random() * 500)
      await move('pause')
      await move('start')
      await sleep(Math.random() * 1_000)
      await move('resume')
    }
    await close()
    const troubles = await killing
    const status = await until(installation, isEnded)
    isOver = true
    const asked = await asking
    const seconds = (Date.now() - began) / 1_000
    await until(installation, isQuiet)
    const taken = await sink.taken()
    const own = taken.filter(({ subject }) => subject.startsWith('Sale '))
    const names = new Set(own.map(({ subject }) => subject))
    const first = new Map(taken.map(({ messageId, at }) => [messageId, at[0] ?? Number.POSITIVE_INFINITY]))
    const isCalm = (at: number) => troubles.every(([from, to]) => at < from - 2_000 || at > to + 35_000)
    const times = [...asked].filter(([, at]) => isCalm(at)).map(([id, at]) => (first.get(id) ?? Number.POSITIVE_INFINITY) - at)
    times.sort((a, b) => a - b)
    const expected = new Set(Array.from({ length: recipients }, (_, n) => `Sale p${n}`))
    return {
      kills: victims.length,
      status,
      missing: [...expected].filter((name) => !names.has(name)).length,
      strangers: [...names].filter((name) => !expected.has(name)).length,
      second: own.length - names.size,
      doubled: own.reduce((sum, { at }) => sum + at.length - 1, 0),
      transactional: {
        sent: asked.size,
        missing: [...asked.keys()].filter((id) => !first.has(id)).length,
        p99Ms: times[Math.ceil(times.length * 0.99) - 1] ?? 0,
      },
      seconds,
    }
  } finally {
    await stack.stop()
    await installation.close()
    sink.stop()
    await postgres.stop()
  }
}

/** The moves of an operator: one that the state does not allow is refused, and changes nothing; one that is not answered is made again. */
const openMoves = async ({ env }: Installation, { workspace: { id: workspaceId }, campaigns }: Client['applied']) => {
  const stores = await openStores({ config: loadConfig(env), log: await createLog({ level: 'error', to: 'stderr' }), mode: 'command' })
  const provisioner = createProvisioner(createCommandRunner({ log: stores.log, deadlineMs: PATIENT_MS }))
  const campaignId = asCampaignId(campaigns.Spring ?? '')
  const move = async (wanted: CampaignMove): Promise<void> => {
    const data = { campaignId, move: wanted, at: null, now: new Date().toISOString() }
    const command = { type: 'MoveCampaign', data } as const
    await insist(async () => {
      try {
        await provisioner.execute(workspaceId, campaign, campaignStream(workspaceId, campaignId), command)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
      }
      return 'answered'
    })
  }
  return { move, close: stores.close }
}

type Progress = Readonly<{ status: string; ended: number; open: number }>

const PROGRESS = `select (select status from read.campaigns) as status,
  (count(*) filter (where status <> 'queued'))::int as ended, (count(*) filter (where status = 'queued'))::int as open from read.messages`

const LOOK_MS = 500
/** The looks without progress, three minutes in all, after which the audit may say what is missing. */
const MAX_LOOKS = 360

const isEnded = ({ status }: Progress): boolean => ['sent', 'failed'].includes(status)
/** Messages that the campaign does not count included. */
const isQuiet = ({ open }: Progress): boolean => open === 0

/** The campaign's status once it is so, or once nothing moves on. */
const until = async ({ pool }: Installation, isSo: (progress: Progress) => boolean): Promise<string> => {
  let last = ''
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const progress = (await pool.query<Progress>(PROGRESS)).rows[0]!
    if (isSo(progress)) return progress.status
    if (last !== JSON.stringify(progress)) looks = 0
    last = JSON.stringify(progress)
    await sleep(LOOK_MS)
  }
  return last
}
