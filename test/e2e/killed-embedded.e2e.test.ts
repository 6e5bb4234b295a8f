import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRunning } from '@tidings/postgres/embedded'
import { patientPool } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { freePort, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

const LEASE_S = 30

let dataDir: string
let sink: SmtpSink
let env: Readonly<Record<string, string>> & Readonly<{ PORT: string }>
let service: ServiceProcess
let acme: Client
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  sink = await startSmtpSink()
  env = {
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_EMAIL_PROVIDER: sink.url,
    TIDINGS_LOG_LEVEL: 'error',
    PORT: String(await freePort()),
  }
  service = await startProcess(env)
  const file = `workspace: { slug: acme, name: acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]`
  const { stdout } = await runTidings(['apply', '-f', '-', '--json'], env, file)
  acme = clientOf({ url: service.url, applied: JSON.parse(stdout) })
})
afterAll(async () => {
  await service.end('SIGTERM')
  await sink.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const leases = async (): Promise<unknown> => {
  const pool = patientPool({ url: (await findRunning(dataDir)) ?? '', max: 1, name: 'test' })
  try {
    return (
      await pool.query(`select count(*)::int as held from (
        select due_at from inbox.job union all select due_at from inbox.bundle cross join unnest(seqs)) every_job
        where due_at > clock_timestamp() + interval '${LEASE_S - 15} seconds'`)
    ).rows[0]
  } finally {
    await pool.end()
  }
}

it('what a killed service had in its hands is sent by the next at once, not after the lease of 30 s', async () => {
  let begun = 0
  sink.answers.data = () => {
    begun++
    return new Promise(() => undefined)
  }
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => acme.send(`held-${n}@example.com`)))
  await eventually(
    async () => begun,
    (mails) => mails === 5,
  )
  expect(await leases()).toEqual({ held: 5 })
  await service.end('SIGKILL')
  delete sink.answers.data
  service = await startProcess(env)
  for (const id of ids) await acme.messageWith(id, 'sent')
})
