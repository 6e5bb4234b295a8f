import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { rebuild } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { untilVisible } from '@tidings/service/read-side'
import { openStores } from '@tidings/service/stores'
import { patientPool } from '@tidings/testing'
import type { Pool } from 'pg'
import type { Environment } from '../e2e/support/service-process.ts'
import { type Answered, ask } from './kill-service.client.ts'
import { type AckedSend, allows, type Ledger, type OwnContact } from './kill-service.ledger.ts'
import { type Shape, shape } from './kill-service.shape.ts'
import type { TakenMail } from './kill-service.sink.ts'
import type { Audited } from './kill-service.world.ts'

/** The times at which a sending process was killed, in milliseconds since the epoch. */
export type SenderKills = Readonly<{ ofService: readonly number[] }>

/** All but `events`, `mails` and `explainedCopies` have to be 0, or empty. */
export type Audit = Shape &
  Readonly<{
    mails: number
    /** Copies beyond the first, each with a kill of the service between it and the one before, or after one that was never answered. */
    explainedCopies: number
    unexplainedCopies: number
    /** Acknowledged messages that cannot be read, or ended otherwise than `sent`. */
    lostMessages: number
    /** Acknowledged, and not in the sink. */
    unsentMessages: number
    /** Requests that made more than one message. */
    doubledMessages: number
    /** Acknowledged profile writes that cannot be read. */
    lostWrites: number
    /** Examples of lost writes. */
    examples: string
    /** Tables whose rebuild differs from what was live, by name. */
    differingTables: readonly string[]
  }>

const DRAIN_MS = 180_000
const AT_ONCE = 16

const inParallel = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item)
    }),
  )
}

/** Asks until it is answered: a connection that was idle may be closed at the moment of its use, and what is asked may be busy. */
const mustAnswer = async ({ api, drainMs }: Audited, route: `${string} /${string}`): Promise<Answered> => {
  for (const deadline = Date.now() + (drainMs ?? DRAIN_MS); ; await sleep(500)) {
    const answer = await ask(api, route)
    if (answer !== null && answer.status < 500) return answer
    if (Date.now() > deadline) throw new Error(`the service does not answer ${route}: ${answer?.status}`)
  }
}

/** Not the last word: it is on its way, or the read side is still behind the log. */
const isOpen = (status: string | undefined): boolean => status === undefined || status === 'queued' || status === '404'

/** What each acknowledged message says in the end; waits for those that may still say something else. */
const finalStatuses = async ({ api, drainMs }: Audited, sends: readonly AckedSend[]): Promise<ReadonlyMap<string, string>> => {
  const statuses = new Map<string, string>()
  for (const deadline = Date.now() + (drainMs ?? DRAIN_MS); ; await sleep(500)) {
    const open = sends.filter(({ messageId }) => isOpen(statuses.get(messageId)))
    await inParallel(open, async ({ messageId }) => {
      const answer = await ask(api, `GET /public/messages/${messageId}`)
      // The next look asks again, until the deadline.
      if (answer === null || answer.status >= 500) return
      const { status, data } = answer
      statuses.set(messageId, status === 200 ? String(data.status) : String(status))
    })
    if (!open.some(({ messageId }) => isOpen(statuses.get(messageId))) || Date.now() > deadline) return statuses
  }
}

/** The messages, with those that were accepted and not acknowledged. */
const untilDrained = async (pool: Pool, drainMs: number | undefined): Promise<void> => {
  for (const deadline = Date.now() + (drainMs ?? DRAIN_MS); Date.now() < deadline; await sleep(250)) {
    const { rows } = await pool.query(
      `select 1 from read.messages where status = 'queued' union all select 1 from inbox.job union all select 1 from inbox.bundle limit 1`,
    )
    if (rows.length === 0) return
  }
}

/** What is shown otherwise than acknowledged, in words. */
const lostWrites = async (world: Audited, contacts: readonly OwnContact[]): Promise<readonly string[]> => {
  const lost: string[] = []
  await inParallel(contacts, async (contact) => {
    const { email, id } = contact
    const { data } = await mustAnswer(world, `GET /public/profiles/lookup?email=${encodeURIComponent(email)}`)
    if (data.id !== id) lost.push(`${email}: ${id} is ${data.id}`)
    const shown = { firstName: data.firstName, notes: data.notes, suppressed: data.emailSuppressed }
    for (const field of ['firstName', 'notes', 'suppressed'] as const)
      if (!allows<unknown>(contact[field], shown[field]))
        lost.push(`${id} ${field}: ${shown[field]}, not ${JSON.stringify(contact[field])}`)
  })
  return lost
}

const copies = (taken: readonly TakenMail[], { ofService }: SenderKills): Pick<Audit, 'explainedCopies' | 'unexplainedCopies'> => {
  const pairs = taken.flatMap(({ at, lost = [] }) =>
    at.slice(1).map((later, n) => ({ before: at[n] ?? later, later, isLost: lost.includes(at[n] ?? later) })),
  )
  const explained = pairs.filter(({ before, later, isLost }) => isLost || ofService.some((kill) => before <= kill && kill <= later)).length
  return { explainedCopies: explained, unexplainedCopies: pairs.length - explained }
}

const dump = async (pool: Pool): Promise<ReadonlyMap<string, string>> => {
  const tables = new Map<string, string>()
  for (const { name, key } of projections.flatMap((projection) => projection.tables)) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from read.${name} t order by ${key.join(', ')}`)
    tables.set(name, rows.map(({ row }) => row).join('\n'))
  }
  return tables
}

const QUIET_MS = 180_000

/**
 * The tables whose rebuild differs from what was live, by name. Both are dumped of one log: the live ones after each projection has come to its
 * end, and again where something was appended meanwhile.
 */
const differingTables = async (pool: Pool, env: Environment): Promise<readonly string[]> => {
  const stores = await openStores({ config: loadConfig(env), log: await createLog({ level: 'error' }), mode: 'command' })
  try {
    for (;;) {
      const head = await stores.log.head()
      if (!(await untilVisible(pool, head, { timeoutMs: QUIET_MS }))) throw new Error('the read side does not come to the end of the log')
      const live = await dump(pool)
      // As `tidings projection rebuild` does, beside the running service, without a process for each projection.
      for (const projection of projections) await rebuild({ projection, log: stores.log, pool })
      const rebuilt = await dump(pool)
      if ((await stores.log.head()).commit !== head.commit) continue
      return [...live].filter(([name, rows]) => rebuilt.get(name) !== rows).map(([name]) => name)
    }
  } finally {
    await stores.close()
  }
}

export async function audit(world: Audited, ledger: Ledger, kills: SenderKills): Promise<Audit> {
  const pool = patientPool({ url: await world.databaseUrl(), max: 4, name: 'chaos' })
  try {
    const statuses = await finalStatuses(world, ledger.sends)
    await untilDrained(pool, world.drainMs)
    const taken = await world.taken()
    const sunk = new Set(taken.map(({ messageId }) => messageId))
    const wasSent = ({ messageId }: AckedSend) => statuses.get(messageId) === 'sent'
    const otherwise = await lostWrites(world, ledger.contacts)
    const refused = (await world.refused?.()) ?? new Set()
    const mayHaveEnded = ({ messageId, mayBeSuppressed }: AckedSend) =>
      (mayBeSuppressed && statuses.get(messageId) === 'suppressed') || (refused.has(messageId) && statuses.get(messageId) === 'failed')
    const lost = ledger.sends.filter((sent) => !wasSent(sent) && !mayHaveEnded(sent))
    return {
      ...(await shape(world, pool)),
      mails: taken.length,
      ...copies(taken, kills),
      lostMessages: lost.length,
      unsentMessages: ledger.sends.filter((sent) => wasSent(sent) && !sunk.has(sent.messageId)).length,
      doubledMessages: taken.length - new Set(taken.map(({ subject }) => subject)).size,
      lostWrites: otherwise.length,
      examples: otherwise.slice(0, 5).join('; '),
      differingTables: await differingTables(pool, world.env),
    }
  } finally {
    await pool.end()
  }
}
