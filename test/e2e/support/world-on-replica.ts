import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { aim } from './aim.ts'
import type { Client } from './client.ts'
import { type DoorThings, fileOfDoors, fillDoors } from './door-things.ts'
import { askToErase } from './erase.ts'
import { eventually } from './eventually.ts'
import { profilesOf } from './profiles.ts'
import { call, newLink, newOperator, type Session, sessionOf } from './users.ts'
import { startWorld, type World } from './world.ts'

/** A stack of processes gives one setting to all of them, and projectors take none of replicas. */
export const inOneProcess: boolean = aim() === 'embedded'

type ByServer = Readonly<Record<'primary' | 'replica', number>>

/** `answered`: the reads that each server answered for it. `statements`: those of requests that the primary was asked meanwhile, and that look at a read model. */
type AskedRoute = Readonly<{ status: number; text: string; answered: ByServer; statements: readonly string[] }>

/** A service whose Postgres has a replica, and a workspace with one of each thing. */
export type WorldOnReplica = Readonly<{
  world: World
  acme: Client
  things: DoorThings
  sessions: Readonly<Record<'owner' | 'member' | 'operator', Session>>
  replica: TestPostgres
  replicaPool: Pool
  userNamed: (name: string) => Promise<Session>
  ask: (session: Session, route: string, body?: unknown) => Promise<AskedRoute>
  /** Resolves when the replica answers. */
  untilOnReplica: () => Promise<unknown>
  stop: () => Promise<void>
}>

const READ_MODEL = /\bread"?\."?\w/

export async function startOnReplica(): Promise<WorldOnReplica> {
  // Its log says each statement, and which pool asked.
  const primary = await startTestPostgres({ settings: { wal_keep_size: '256MB', log_statement: 'all', log_line_prefix: '%a: ' } })
  const before = patientPool({ url: primary.url, max: 1, name: 'test' })
  await migrate(before)
  await before.end()
  const replica = await startTestReplica(primary)
  const replicaPool = patientPool({ url: replica.url, max: 2, name: 'test' })
  const world = await startWorld({
    ...{ TIDINGS_DATABASE_URL: primary.url, TIDINGS_READ_DATABASE_URL: replica.url },
    ...{ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_RATE_LIMIT_SESSION: 'off' },
  })
  const acme = await world.workspace('doors', fileOfDoors('doors'))
  const signedIn = async (token: string): Promise<Session> =>
    sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
  const userNamed = async (name: string): Promise<Session> => signedIn(await newLink(world.stores, acme, `${name}@doors.example`))
  const operator = await signedIn((await newOperator(world.stores)).token)
  const sessions = { owner: await userNamed('owner'), member: await userNamed('member'), operator }
  const things = await fillDoors(world, { client: acme, member: sessions.member, admin: sessions.owner })
  const ask = askingOf(primary, world, operator)
  const untilOnReplica = () =>
    eventually(
      () => ask(sessions.owner, 'GET /dashboard/people'),
      (asked) => asked.answered.replica > 0,
    )
  const stop = async (): Promise<void> => {
    await world.stop()
    await replicaPool.end()
    await replica.stop()
    await primary.stop()
  }
  const erasures = await erasedIn(world, acme)
  await world.settle()
  return { world, acme, things: { ...things, erasures }, sessions, replica, replicaPool, userNamed, ask, untilOnReplica, stop }
}

/** Makes a person who agreed, and one who did and is erased, whose id it answers. */
const erasedIn = async (world: World, acme: Client): Promise<string> => {
  const { id } = await profilesOf(acme).create({ email: 'gone@doors.example', emailConsent: 'subscribed' })
  await profilesOf(acme).create({ email: 'agreed@doors.example', emailConsent: 'subscribed' })
  await askToErase(world, acme, id)
  return id
}

const askingOf = (primary: TestPostgres, world: World, operator: Session): WorldOnReplica['ask'] => {
  const answered = async (): Promise<ByServer> => {
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    const by = (server: string) => Number(new RegExp(`tidings_reads_answered\\{server="${server}"\\} (\\d+)`).exec(metrics)?.[1])
    return { primary: by('primary'), replica: by('(?!primary)[^"]*') }
  }
  const logged = () => readFile(join(dirname(primary.folder), 'log'), 'utf8')
  return async (session, route, body) => {
    const before = await answered()
    const { length } = await logged()
    const [method = '', path = ''] = route.split(' ')
    const response = await fetch(`${world.url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${session.token}`,
        ...(session === operator && { 'X-Tidings-Workspace': 'doors' }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const lines = (await logged()).slice(length).split('\n')
    const after = await answered()
    return {
      ...{ status: response.status, text },
      answered: { primary: after.primary - before.primary, replica: after.replica - before.replica },
      statements: lines.filter((line) => line.startsWith('tidings: ') && READ_MODEL.test(line)),
    }
  }
}
