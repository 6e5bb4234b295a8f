import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import type { EmailProvider } from '../email/port.ts'
import type { SendOptions } from '../port.ts'
import type { SmsProvider } from '../sms/port.ts'
import type { TakenMessage } from '../taken.ts'
import type { VoiceProvider } from '../voice/port.ts'
import { TokenQueue, type Tokens } from './token-queue.ts'
import { withToken } from './with-token.ts'

/** Reserves times for that many messages, `everyUs` apart; resolves with the microseconds until the first of them. */
type ReserveTimes = (count: number, everyUs: number) => Promise<number>

const NOW_US = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'
/** Further ahead than processes reserve. */
const MAX_AHEAD_US = 60_000_000

/** The row is locked before the time is asked of the clock. */
const RESERVE = `
  insert into ops.send_rate as r (name, next) values ($1, ${NOW_US} + $2::bigint)
  on conflict (name) do update set next = greatest(least(r.next, ${NOW_US} + ${MAX_AHEAD_US}), ${NOW_US}) + $2::bigint
  returning next - $2::bigint - ${NOW_US} as wait`

/**
 * Times for the messages of one channel, over all processes: no two reservations overlap. They are in the order in which they are made. A
 * clock of the server that goes back delays no message by more than a minute.
 */
export function reserveTimesIn(pool: Pool, name: string): ReserveTimes {
  return async (count, everyUs) => {
    const { rows } = await pool.query<{ wait: string }>({ name: 'reserve-times', text: RESERVE, values: [name, count * everyUs] })
    return Math.max(0, Number(rows[0]?.wait))
  }
}

/** The longest time that a process reserves ahead: a message that comes later, in another process, waits that long for each process that sends. */
const BLOCK_MS = 250

/** A process that comes to a time later than that by a stall still uses one: else it would reserve again at each stall, and send nothing. */
const STALL_MS = 5_000

/** The rate at which messages are given to a provider, over all processes. */
export type SendRate = Tokens

/**
 * What waits gets the times that this process has reserved, each when it has come; when those are used up, it reserves as many as wait, at most
 * a quarter of a second's worth. After a stall of the process so many go at once.
 */
export function createSendRate({ perSecond, reserve }: Readonly<{ perSecond: number; reserve: ReserveTimes }>): SendRate {
  const everyMs = 1_000 / perSecond
  const block = Math.max(1, Math.floor(BLOCK_MS / everyMs))
  let times: number[] = []

  return new TokenQueue({
    nextAt: () => {
      times = stillGood(times)
      return times[0] ?? null
    },
    take: () => void times.shift(),
    giveBack: () => void times.unshift(performance.now()),
    more: async (waiting) => {
      const count = Math.min(waiting, block)
      const first = performance.now() + (await reserve(count, Math.ceil(everyMs * 1_000))) / 1_000
      times = Array.from({ length: count }, (_, n) => first + n * everyMs)
    },
  })
}

/** Drops times that have passed: no message came for them. */
function stillGood(times: number[]): number[] {
  const now = performance.now()
  if ((times[0] ?? now) >= now - BLOCK_MS) return times
  const good = times.filter((time) => time >= now - BLOCK_MS)
  return good.length > 0 ? good : times.slice(-1).filter((time) => time >= now - STALL_MS)
}

/** The same provider, whose messages wait for a token of the rate when a slot is free for them, right before the fence. */
export function ratedSmsProvider(provider: SmsProvider, rate: SendRate): SmsProvider {
  return { ...provider, send: ratedCall(rate, provider.send) }
}

/** The same for calls. */
export function ratedVoiceProvider(provider: VoiceProvider, rate: SendRate): VoiceProvider {
  return { ...provider, call: ratedCall(rate, provider.call) }
}

/** The same for mails. */
export function ratedEmailProvider(provider: EmailProvider, rate: SendRate): EmailProvider {
  return { ...provider, send: ratedCall(rate, provider.send) }
}

type RatedCall<Message> = (message: Message, options: SendOptions) => Promise<TakenMessage>

const ratedCall =
  <Message extends Readonly<{ workspaceId: WorkspaceId }>>(rate: SendRate, call: RatedCall<Message>): RatedCall<Message> =>
  (message, options) =>
    call(message, withToken(rate, message, options))
