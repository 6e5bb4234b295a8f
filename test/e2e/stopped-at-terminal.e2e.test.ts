import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endServerOf } from '@tidings/postgres/embedded'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { freePort, runTidings, startProcess } from './support/service-process.ts'
import { openTerminal, type Terminal } from './support/terminal.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// `exec`: a shell between the terminal and npm may get the signal as well, and then tells of the signal instead of npm's end.
const START = 'exec npm start --silent --ignore-scripts'
const TIDINGS = 'exec npm run -s tidings --'
/** What a shell says of a command that SIGINT ended. */
const INTERRUPTED = 130
/** Another signal is another request from then on. */
const SAME_REQUEST_MS = 2_100

const WORKSPACE = `workspace: { slug: acme, name: acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]`

let dataDir: string
let sink: SmtpSink
let env: Readonly<Record<string, string>> & Readonly<{ PORT: string }>
let acme: Client

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  sink = await startSmtpSink()
  env = {
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_EMAIL_PROVIDER: sink.url,
    TIDINGS_LOG_LEVEL: 'error',
    TIDINGS_PROCESSES: '1',
    TIDINGS_RATE_LIMIT_DEFAULT: 'off',
    TIDINGS_RATE_LIMIT_KEY: 'off',
    PORT: String(await freePort()),
  }
  const { stdout } = await runTidings(['apply', '-f', '-', '--json'], env, WORKSPACE)
  acme = clientOf({ url: `http://127.0.0.1:${env.PORT}`, applied: JSON.parse(stdout) })
})
afterAll(async () => {
  await sink.stop()
  await rm(dataDir, { recursive: true, force: true })
})

let open: Terminal[]
beforeEach(() => {
  open = []
})
afterEach(async () => {
  for (const terminal of open) terminal.close()
  await endServerOf(join(dataDir, 'postgres'))
})

const terminal = (command: string): Terminal => {
  const opened = openTerminal(command, env, ROOT)
  open.push(opened)
  return opened
}

const serverRuns = (): Promise<boolean> =>
  access(join(dataDir, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  )

const isReady = async (): Promise<boolean> => (await fetch(`${acme.url}/health/ready`).catch(() => null))?.status === 200

const startedService = async (): Promise<Terminal> => {
  const service = terminal(START)
  await eventually(isReady, (ready) => ready)
  return service
}

/** Sends without a pause until it is not answered any more; tells each answer. */
const sendUntilRefused = async (name: string, answered: (id: string) => void): Promise<void> => {
  for (let n = 0; ; n++) {
    const id = await acme.send(`${name}-${n}@example.com`).catch(() => null)
    if (id === null) return
    answered(id)
  }
}

describe('Ctrl-C at npm start, which npm and the terminal both pass on', () => {
  it('stops an idle service with 0, and its Postgres, each time', async () => {
    for (let round = 0; round < 3; round++) {
      const service = await startedService()
      service.interrupt()
      expect([await service.ended, await serverRuns()]).toEqual([0, false])
    }
  })

  it('stops a busy service with 0, and each mail that it accepted leaves once', async () => {
    const ids: string[] = []
    for (let round = 0; round < 2; round++) {
      const service = await startedService()
      const clients = Array.from({ length: 12 }, (_, n) => sendUntilRefused(`busy-${round}-${n}`, (id) => ids.push(id)))
      const before = ids.length
      await eventually(
        async () => ids.length - before,
        (sent) => sent >= 48,
      )
      service.interrupt()
      expect([await service.ended, await serverRuns()]).toEqual([0, false])
      await Promise.all(clients)
    }
    const next = await startProcess(env)
    for (const id of ids) await acme.messageWith(id, 'sent')
    await next.end('SIGTERM')
    const recipients = sink.mails.map(({ to }) => String(to)).filter((to) => to.startsWith('busy-'))
    expect(recipients.length).toBeGreaterThanOrEqual(ids.length)
    expect(new Set(recipients).size).toBe(recipients.length)
  })

  it('ends at once, Postgres too, where it comes again after two seconds', async () => {
    const service = await startedService()
    const [taken, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()]
    sink.answers.data = () => {
      taken.resolve()
      return answer.promise
    }
    await acme.send('held@example.com')
    await taken.promise
    service.interrupt()
    await sleep(SAME_REQUEST_MS)
    service.interrupt()
    expect([await service.ended, await serverRuns()]).toEqual([1, false])
    answer.resolve(undefined)
    delete sink.answers.data
  })
})

describe('Ctrl-C at a command', () => {
  it('ends one that waits for its input', async () => {
    const command = terminal(`${TIDINGS} apply -f -`)
    // What it reads comes back on the terminal when it reads in the terminal's own way: when the process has begun.
    await sleep(SAME_REQUEST_MS)
    command.interrupt()
    expect(await command.ended).toBe(INTERRUPTED)
  })

  it('ends one that follows the log with 0, and the Postgres that it has started', async () => {
    const command = terminal(`${TIDINGS} projection run docs/examples/projections/funnel.projection.ts --follow`)
    await eventually(
      async () => command.shown(),
      (shown) => shown.includes('Caught up'),
    )
    expect(await serverRuns()).toBe(true)
    command.interrupt()
    expect([await command.ended, await serverRuns()]).toEqual([0, false])
  })

  it('ends one that nothing stops half-way, and the Postgres that it has started', async () => {
    const command = terminal(`${TIDINGS} log export --out ${join(dataDir, 'log.ndjson')}`)
    await eventually(serverRuns, (runs) => runs)
    command.interrupt()
    expect([[0, INTERRUPTED].includes(await command.ended), await serverRuns()]).toEqual([true, false])
  })
})
