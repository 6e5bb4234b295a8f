import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestPostgres, startTestReplica, until } from '@tidings/testing'
import { install } from '../e2e/support/installation.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'

/** `seconds`: for which everything that writes is gone. `people`: that are known before. `readers`: which ask at once. */
export type Alone = Readonly<{ seconds: number; people: number; readers: number }>

/** What became of the requests of the readers while nothing else was there. */
export type AloneResult = Readonly<{
  answered: number
  /** Refusals of a key that is good, or answers that name no refusal of a key that is wrong. */
  wronglyRefused: number
  /** Requests without an answer, or with one of 5xx. */
  failed: number
  /** Answers that do not hold what was written, or do not say that they may be old. */
  wrong: readonly string[]
  slowestMs: number
}>

type Person = Readonly<{ id: string; email: string }>
type Answer = Readonly<{ status: number; isPending: boolean; body: string }>
type Caller = Readonly<{ slug: string; key: string }>

const get = async (url: string, { slug, key }: Caller): Promise<Answer | null> => {
  try {
    const response = await fetch(url, { headers: { 'X-Sender-Tenant': slug, 'X-API-Key': key } })
    return { status: response.status, isPending: response.headers.get('x-consistency') === 'pending', body: await response.text() }
  } catch {
    return null
  }
}

type Question = Readonly<{ path: string; status: number; says: (body: string) => boolean; withKey?: string }>

const anyQuestion = (people: readonly Person[]): Question => {
  const person = people[Math.floor(Math.random() * people.length)]
  const kind = Math.random()
  if (kind < 0.1) return { path: '/public/me', status: 401, says: () => true, withKey: `sk_${randomUUID()}` }
  if (kind < 0.2) return { path: `/public/profiles/${randomUUID()}`, status: 404, says: () => true }
  if (kind < 0.4) return { path: '/public/profiles?limit=5', status: 200, says: (body) => JSON.parse(body).data.total === people.length }
  return {
    path: `/public/profiles/${person?.id}`,
    status: 200,
    says: (body) => JSON.parse(body).data.id === person?.id && JSON.parse(body).data.email === person?.email,
  }
}

type Counts = { answered: number; wronglyRefused: number; failed: number; wrong: string[]; slowestMs: number }

const judge = (counts: Counts, { path, status, says }: Question, answer: Answer | null): void => {
  if (answer === null || answer.status >= 500) counts.failed++
  else if (answer.status !== status) counts.wronglyRefused++
  else if (!says(answer.body) || (status !== 401 && !answer.isPending))
    counts.wrong.push(`${path}: ${answer.isPending} ${answer.body.slice(0, 200)}`)
  else counts.answered++
}

type Reading = Readonly<{ urls: () => readonly string[]; caller: Caller; people: readonly Person[]; counts: Counts; signal: AbortSignal }>

const runReader = async ({ urls, caller, people, counts, signal }: Reading): Promise<void> => {
  for (let n = 0; !signal.aborted; n++) {
    const question = anyQuestion(people)
    const began = performance.now()
    const answer = await get(`${urls()[n % urls().length]}/api/v1${question.path}`, {
      ...caller,
      ...(question.withKey && { key: question.withKey }),
    })
    judge(counts, question, answer)
    counts.slowestMs = Math.max(counts.slowestMs, Math.round(performance.now() - began))
    await sleep(10)
  }
}

const [COMMANDS, FIRST, SECOND, PROJECTORS, CONSUMERS] = [0, 1, 2, 3, 4] as const
const WRITERS = [COMMANDS, PROJECTORS, CONSUMERS]

const urlOf = (stack: Stack, seat: number): string => stack.processes()[seat]?.url ?? ''

const untilStatus = (url: string, wanted: string): Promise<void> =>
  until(async () => {
    const { status } = (await (await fetch(`${url}/health/ready`)).json()) as { status: string }
    if (status !== wanted) throw new Error(`it is ${status}`)
  })

const makePeople = async (url: string, { slug, key }: Caller, count: number): Promise<readonly Person[]> => {
  const headers = { 'X-Sender-Tenant': slug, 'X-API-Key': key, 'Content-Type': 'application/json' }
  const people: Person[] = []
  while (people.length < count) {
    const email = `${randomUUID()}@example.com`
    const answer = await fetch(`${url}/api/v1/public/profiles`, { method: 'POST', headers, body: JSON.stringify({ email }) })
    people.push({ id: ((await answer.json()) as { data: { id: string } }).data.id, email })
  }
  return people
}

/** Waits until each reader shows all people, and says that nothing is missing. */
const untilShown = async (urls: readonly string[], caller: Caller, people: number): Promise<void> => {
  for (const url of urls)
    await until(async () => {
      const answer = await get(`${url}/api/v1/public/profiles?limit=1`, caller)
      if (answer?.status !== 200 || answer.isPending || JSON.parse(answer.body).data.total !== people)
        throw new Error(`not all is shown: ${answer?.body}`)
    })
}

/** Kills the primary, and every process but the readers; one of these is started anew meanwhile. Then all is there again, and a new write is read. */
export async function readSideAlone({ seconds, people: count, readers }: Alone): Promise<AloneResult> {
  const primary = await startTestPostgres({ settings: { wal_keep_size: '512MB' } })
  const replica = await startTestReplica(primary)
  const installation = await install(primary.url, { TIDINGS_READ_DATABASE_URL: replica.url })
  const { TIDINGS_READ_DATABASE_URL: read = '', ...env } = installation.env
  const reading = {
    TIDINGS_READ_DATABASE_URL: read,
    TIDINGS_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false',
    TIDINGS_KAFKA_BROKERS: '127.0.0.1:1',
  }
  const seats = [['command-api'], ['query-api'], ['query-api'], ['projectors'], ['consumers']] as const
  const stack = await startStack(env, seats, [{ TIDINGS_READ_DATABASE_URL: read }, reading, reading])
  const ending = new AbortController()
  try {
    const caller = await installation.workspace('demo')
    const both = () => [urlOf(stack, FIRST), urlOf(stack, SECOND)]
    const people = await makePeople(stack.url, caller, count)
    await untilShown(both(), caller, count)
    await Promise.all([primary.kill(), ...WRITERS.map((seat) => stack.end(seat))])
    for (const url of both()) await untilStatus(url, 'degraded')

    let urls = both()
    const counts: Counts = { answered: 0, wronglyRefused: 0, failed: 0, wrong: [], slowestMs: 0 }
    const load = Array.from({ length: readers }, () => runReader({ urls: () => urls, caller, people, counts, signal: ending.signal }))
    await sleep(seconds * 500)
    urls = [urlOf(stack, FIRST)]
    await stack.end(SECOND, 'SIGTERM')
    await stack.restart(SECOND)
    urls = both()
    await sleep(seconds * 500)
    ending.abort()
    await Promise.all(load)

    await primary.start()
    await Promise.all(WRITERS.map((seat) => stack.restart(seat)))
    await makePeople(stack.url, caller, 1)
    await untilShown(both(), caller, count + 1)
    for (const url of both()) await untilStatus(url, 'ready')
    return counts
  } finally {
    ending.abort()
    await stack.stop()
    await installation.close()
    await replica.stop()
    await primary.stop()
  }
}
