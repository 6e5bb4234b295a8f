import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { asContactId, asMessageId } from '@tidings/domain'
import { releaseClaims } from '@tidings/jobs'
import { until } from '@tidings/testing'
import { afterEach, expect, test } from 'vitest'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

const SCRIPT = fileURLToPath(new URL('../testing/consumer-process.ts', import.meta.url))
const CONCURRENCY = 8

let child: ChildProcess | undefined
setUpSending()
afterEach(() => {
  child?.kill('SIGKILL')
})

const start = async (): Promise<ChildProcess> => {
  const started = spawn(process.execPath, [SCRIPT, db.url, sink.url], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(started.stdout, 'data')
  return started
}
/** What a killed process had asked for may still be carried out; its connections end afterwards. */
const backendsOfChild = async () =>
  (
    await db.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where application_name = 'consumer-process' and datname = current_database()`,
    )
  ).rows[0]?.n
const messageIdOf = (raw: string) => /^Message-ID: <([^@.]+)\.[^@]+@/m.exec(raw)?.[1] ?? ''

test('a process that is killed in the middle of sending leaves nothing unsent, and doubles at most what was in its hands', async () => {
  sink.answers.data = () => sleep(5).then(() => undefined)
  const contacts = await Promise.all(Array.from({ length: 20 }, (_, n) => rig.newContact(`c${n}@example.com`)))
  const accepted: string[] = []
  const accept = async (n: number) =>
    accepted.push(await rig.accept(contacts[n % 20] ?? asContactId(''), { to: `c${n % 20}@example.com`, subject: `${n}` }))
  for (let n = 0; n < 100; n++) await accept(n)

  for (const kills of [1, 2]) {
    child = await start()
    await until(() => expect(sink.mails.length).toBeGreaterThan(25 * kills), 5)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until(async () => expect(await backendsOfChild()).toBe(0))
    // Leases and the group's lease run out by the database's clock; the test moves that forward instead of waiting.
    if (kills === 1) await releaseClaims(db.pool)
    else for (const table of ['job', 'bundle']) await db.pool.query(`update inbox.${table} set due_at = now() where token is not null`)
    await db.pool.query(`update ops.consumer_checkpoint set lease_until = now()`)
    for (let n = 0; n < 20; n++) await accept(n)
  }

  await rig.consume(sink.url)
  await until(async () => {
    // A job that is taken over waits for its previous worker.
    await db.pool.query(`update inbox.job set due_at = now() where token is null and due_at is not null`)
    for (const id of accepted) expect((await rig.eventsOf(asMessageId(id))).at(-1)).toBe('MessageSent')
  }, 250)
  const sent = sink.mails.map(({ raw }) => messageIdOf(raw))
  expect(new Set(sent)).toEqual(new Set(accepted))
  expect(sent.length - accepted.length).toBeLessThanOrEqual(2 * CONCURRENCY)
})
