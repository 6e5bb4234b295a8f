import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { freePort, launchProcess, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

let database: TestDatabase
let installation: Installation
let env: Readonly<Record<string, string>> & Readonly<{ PORT: string }>
let service: ServiceProcess
let acme: Client
let globex: Client

const workspace = async (slug: string): Promise<Client> =>
  clientOf({ url: service.url, applied: (await installation.workspace(slug)).applied, shown: installation.shown })

// Its own Postgres: an embedded one that is made anew takes longer than all the tests, and who owns it is tested beside it.
beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  env = {
    ...installation.env,
    TIDINGS_LOG_LEVEL: 'warn',
    TIDINGS_PROCESSES: '2',
    TIDINGS_DRAIN_SECONDS: '2',
    TIDINGS_RATE_LIMIT_KEY: '600',
    PORT: String(await freePort()),
  }
  service = launchProcess(env)
  // Two processes load and begin at once: on a busy machine it takes longer than a minute.
  await service.ready().catch(() => service.ready())
  acme = await workspace('acme')
  globex = await workspace('globex')
})
afterAll(async () => {
  await service.end('SIGTERM')
  await installation.close()
  await database.drop()
})

/** The processes that the supervisor runs. */
const workers = async (): Promise<readonly number[]> => {
  const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8')
  return children.trim().split(' ').map(Number)
}

const isReady = async (): Promise<boolean> => (await fetch(`${service.url}/health/ready`).catch(() => null))?.status === 200

/** The sum of the samples of one metric whose labels include `labels`. */
const metric = async (name: string, labels: string): Promise<number> => {
  const page = await (await fetch(`${service.url}/metrics`)).text()
  const lines = page.split('\n').filter((line) => /[{ ]/.test(line.charAt(name.length)) && line.startsWith(name) && line.includes(labels))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
const profilesMade = () => metric('http_request_duration_seconds_count', 'route="/api/v1/public/profiles",status="201"')

/** The id of a profile that was acknowledged; null where the request had no answer, because its process was killed. */
const create = async (email: string, signal?: AbortSignal): Promise<string | null> => {
  const answer = await acme.request('POST', '/public/profiles', { email }, {}, signal).catch((error: unknown) => {
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return null
    throw error
  })
  return answer?.status === 201 ? (answer.body.data as { id: string }).id : null
}

it('two processes serve one port, each projection is followed by one, and the page of metrics is that of both', async () => {
  const before = await profilesMade()
  await Promise.all(Array.from({ length: 40 }, (_, n) => create(`sum-${n}@example.com`)))
  // A page is kept for a second.
  expect(await eventually(profilesMade, (made) => made >= before + 40)).toBe(before + 40)
  await expect.poll(() => metric('tidings_projection_owned', 'projection="profiles"')).toBe(1)
  await expect.poll(() => metric('tidings_role', 'role="consumers"')).toBe(1)
  expect(await workers()).toHaveLength(2)
})

it('a process that is killed under load loses no write that was answered; requests go on, and it is started again', async () => {
  const first = await workers()
  const counted = await profilesMade()
  const made: string[] = []
  let asked = 0
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; n < 40; n++) {
      // One that was handed to a process that died before it took it hangs until the caller gives up.
      const id = await create(`kill-${writer}-${n}@example.com`, AbortSignal.timeout(20_000))
      if (id !== null) made.push(id)
      if (++asked === 60) process.kill(first[0] ?? -1, 'SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 4 }, (_, writer) => write(writer)))
  expect(made.length).toBeGreaterThan(120)
  await eventually(isReady, (ready) => ready)
  await eventually(
    () => metric('tidings_processes_ended_total', ''),
    (ended) => ended === 1,
  )
  await eventually(
    () => metric('tidings_processes_missing', ''),
    (missing) => missing === 0,
  )
  const second = await workers()
  expect(second).toHaveLength(2)
  expect(second).not.toContain(first[0])
  // Each look is a request of the key, which may make 600 a minute.
  await installation.shown()
  for (const id of made)
    await eventually(
      async () => (await acme.request('GET', `/public/profiles/${id}`)).status,
      (status) => status === 200,
    )
  // What the killed process had counted up to the last page stays in the sum.
  expect(await profilesMade()).toBeGreaterThanOrEqual(counted)
})

/** The status of an answer over a connection of its own, and its text where it is 503; null where there was none. */
const answerOf = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string | null> => {
  const sent = request(`${service.url}${path}`, { headers, agent: false, signal: AbortSignal.timeout(20_000) })
  sent.end()
  const [answer] = await once(sent, 'response').catch(() => [null])
  if (answer === null) return null
  const said = await text(answer)
  return answer.statusCode === 503 ? `503 ${said}` : String(answer.statusCode)
}

it('one of them that is stopped by itself fails no request, and leaves the address in service for the others', async () => {
  const [leaving = -1] = await workers()
  const caller = { 'X-Sender-Tenant': acme.slug, 'X-API-Key': acme.key }
  const seen = new Set<string>()
  process.kill(leaving, 'SIGTERM')
  while ((await workers()).includes(leaving)) {
    const answers = await Promise.all([answerOf('/health/ready'), answerOf('/health/ready'), answerOf('/api/v1/public/me', caller)])
    for (const [n, answer] of answers.entries()) seen.add(`${n < 2 ? 'ready' : 'me'} ${answer}`)
    await sleep(100)
  }
  // When it ends, another one takes its projections over, and is not ready for that moment.
  const others = [...seen].filter((answer) => !/^ready 503 .*"notReady":\[\{"name":"projections","reason":"[^"]*"\}\]/.test(answer))
  expect(others.toSorted()).toEqual(['me 200', 'ready 200'])
  await eventually(
    () => metric('tidings_processes_missing', ''),
    (missing) => missing === 0,
  )
})

const WINDOW_MS = 60_000
/** How many requests pass before one is refused, and whether they were of one window. */
const passedBy = async (client: Client): Promise<Readonly<{ passed: number; isOneWindow: boolean }>> => {
  const began = performance.now()
  let passed = 0
  let refused = false
  const ask = async (): Promise<void> => {
    while (!refused) {
      const { status } = await client.request('GET', '/public/me')
      if (status === 200) passed++
      else if (status === 429) refused = true
      else throw new Error(`answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return { passed, isOneWindow: performance.now() - began < WINDOW_MS }
}
/** How often a process had no answer for a second and counted by itself. Each begins again to ask when that is over. */
const countedAlone = (): number => service.output().split('the shared rate limits cannot be counted').length - 1

it('a key has its limit in both together, and at most 5 % more', async () => {
  // Where a process counted by itself, or the minute ended meanwhile, the number says nothing of both together: another key is counted.
  let counted = await passedBy(globex)
  for (let n = 1, alone = 0; counted.passed > 630 && (countedAlone() > alone || !counted.isOneWindow); n++) {
    alone = countedAlone()
    counted = await passedBy(await workspace(`globex-${n}`))
  }
  const { passed } = counted
  expect(passed).toBeGreaterThanOrEqual(600)
  expect(passed).toBeLessThanOrEqual(630)
})

/** A request of which a process has read the headers, and waits for the body. */
const underWay = async (email: string): Promise<() => Promise<number | undefined>> => {
  const sentText = JSON.stringify({ email })
  const caller = { 'X-Sender-Tenant': acme.slug, 'X-API-Key': acme.key }
  const headers = { ...caller, 'content-type': 'application/json', 'content-length': String(sentText.length), expect: '100-continue' }
  const sent = request(`${service.url}/api/v1/public/profiles`, { method: 'POST', headers, agent: false })
  sent.flushHeaders()
  await once(sent, 'continue')
  return async () => {
    const answered = once(sent, 'response')
    sent.end(sentText)
    const [answer] = await answered
    answer.resume()
    return answer.statusCode
  }
}

it('a signal to the whole group, as a terminal sends it, lets every request under way in either process end', async () => {
  const requests = await Promise.all(Array.from({ length: 20 }, (_, n) => underWay(`drain-${n}@example.com`)))
  const group = await workers()
  const ended = service.end('SIGTERM')
  for (const pid of group) process.kill(pid, 'SIGTERM')
  await eventually(isReady, (ready) => !ready)
  expect(await Promise.all(requests.map((finish) => finish()))).toEqual(Array.from({ length: 20 }, () => 201))
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

it('what cannot start in one ends the whole with its sentence', async () => {
  const taken = createServer().listen(Number(env.PORT), '127.0.0.1')
  await once(taken, 'listening')
  const ran = await runTidings(['start'], { ...env, TIDINGS_LOG_LEVEL: 'fatal' })
  await new Promise((resolve) => taken.close(resolve))
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toBe(`Port ${env.PORT} of 127.0.0.1 is taken: stop what listens there, or set another (PORT, TIDINGS_ADMIN_PORT).\n`)
})

it('after a kill of the supervisor its processes end, and the next start finds everything', async () => {
  service = await startProcess(env)
  await service.end('SIGKILL')
  service = await startProcess(env)
  expect((await acme.request('GET', '/public/profiles?search=drain-0')).status).toBe(200)
})
