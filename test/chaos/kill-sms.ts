import { setTimeout as sleep } from 'node:timers/promises'
import { asMessageId } from '@tidings/domain'
import type { Role } from '@tidings/service'
import { startTestPostgres } from '@tidings/testing'
import { startTwilioServer } from '@tidings/testing/twilio-server'
import type { StatementEntry } from '@tidings/wallet'
import { type Client, clientOf } from '../e2e/support/client.ts'
import { type Installation, install } from '../e2e/support/installation.ts'
import { startStack } from '../e2e/support/stack.ts'
import { byCallers, insist } from './callers.ts'
import { killVictims } from './victims.ts'

/** `victims`: whose process is killed and started again, one after the other, while `messages` are accepted and sent from a wallet of `credits`. */
export type SmsChaos = Readonly<{ victims: readonly Role[]; messages: number; credits: number }>

/**
 * `unverified`: what `credits verify` found. `unpaid`: sent and not paid; `paidForNothing`: paid and not sent; `paidTwice`. `unsent`: recorded as sent, and
 * the provider never got it. `doubled`: sent again, which a kill between the provider's yes and the append may do.
 */
export type SmsChaosResult = Readonly<{
  kills: number
  over: number
  balance: number
  held: number
  unverified: readonly string[]
  unpaid: number
  paidForNothing: number
  paidTwice: number
  unsent: number
  doubled: number
}>

const fileOf = (credits: number): string => `workspace: { slug: demo, name: Demo }
apiKeys: [{ name: test }]
credits: ${credits}
smsSenderIds: [{ id: DEMO, status: approved }]
`

const phoneOf = (n: number): string => `+9725${String(n).padStart(8, '0')}`

/** Repeats the request under its key. Null where the wallet was empty. */
const send = async (client: Client, n: number): Promise<string | null> => {
  const body = { to: phoneOf(n), senderId: 'DEMO', body: `Order ${n} is ready` }
  const { messageId } = await insist(async () => {
    const { status, body: answer } = await client.request('POST', '/public/messages/sms', body, { 'Idempotency-Key': `order-${n}` })
    if (status === 403) return { messageId: null }
    return status === 202 ? (answer.data as { messageId: string }) : null
  })
  return messageId
}

/** Kills each victim in turn while texts are sent; then audits the wallet against what the provider got. */
export async function killSms({ victims, messages, credits }: SmsChaos): Promise<SmsChaosResult> {
  const postgres = await startTestPostgres()
  const twilio = await startTwilioServer()
  const installation = await install(postgres.url, {
    TIDINGS_SMS_PROVIDER: twilio.url,
    TIDINGS_VOICE_PROVIDER: twilio.url,
    TIDINGS_RATE_LIMIT_DEFAULT: 'off',
    TIDINGS_RATE_LIMIT_KEY: 'off',
  })
  const stack = await startStack(installation.env)
  try {
    const applied = (await installation.tidings(['apply', '-f', '-'], fileOf(credits))) as Client['applied']
    const client = clientOf({ url: stack.url, applied })
    const sending = sendAll(client, messages)
    sending.catch(() => undefined) // awaited below
    await killVictims(stack, victims)
    const accepted = await sending
    const over = await untilOver(installation, accepted.length)
    const delivered = twilio.taken.map(({ form }) => new URL(form.StatusCallback ?? '').searchParams.get('messageId') ?? '')
    return { kills: victims.length, over, ...(await audit(installation, delivered)) }
  } finally {
    await stack.stop()
    await installation.close()
    await twilio.stop()
    await postgres.stop()
  }
}

const CALLERS = 16

async function sendAll(client: Client, messages: number): Promise<readonly string[]> {
  const ids = await byCallers(CALLERS, messages, (n) => send(client, n))
  return ids.filter((id) => id !== null)
}

type OpenHoldsRow = Readonly<{ over: number; held: string }>

/** Waits until no message waits and the sweep has ended the holds of dead processes, or so long that the audit may say what is missing. */
const untilOver = async ({ pool }: Installation, messages: number): Promise<number> => {
  let last = ''
  for (let rounds = 0; ; rounds++) {
    const { rows } = await pool.query<OpenHoldsRow>(
      `select (select count(*)::int from read.messages where status <> 'queued') as over, coalesce((select sum(held) from read.wallets), 0) as held`,
    )
    const [row] = rows
    if (row === undefined || rounds === 600 || (row.over === messages && Number(row.held) === 0)) return row?.over ?? 0
    if (`${row.over} ${row.held}` !== last) rounds = 0
    last = `${row.over} ${row.held}`
    await sleep(500)
  }
}

const WALLET = ['--workspace', 'demo'] as const

async function audit({ pool, tidings }: Installation, delivered: readonly string[]): Promise<Omit<SmsChaosResult, 'kills' | 'over'>> {
  const { problems } = (await tidings(['credits', 'verify', ...WALLET])) as { problems: readonly string[] }
  const { balance, held } = (await tidings(['credits', 'show', ...WALLET])) as { balance: number; held: number }
  const { items } = (await tidings(['credits', 'statement', ...WALLET])) as { items: readonly StatementEntry[] }
  const { rows } = await pool.query<{ id: string }>(`select id from read.messages where status = 'sent'`)
  const payments = items.filter(({ entry }) => entry === 'settle').map(({ messageId }) => messageId)
  const [paid, sent, got] = [new Set(payments), new Set(rows.map(({ id }) => id)), new Set(delivered)]
  return {
    balance,
    held,
    unverified: problems,
    unpaid: [...sent].filter((id) => !paid.has(asMessageId(id))).length,
    paidForNothing: payments.filter((id) => id === null || !sent.has(id)).length,
    paidTwice: payments.length - paid.size,
    unsent: [...sent].filter((id) => !got.has(id)).length,
    doubled: delivered.length - got.size,
  }
}
