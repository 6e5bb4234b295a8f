import { setTimeout as sleep } from 'node:timers/promises'
import { ROLES, type Role } from '@tidings/service'
import type { Mood } from './everything.sink.ts'
import type { World } from './everything.world.ts'

/** What can go wrong. `away for long`: for longer than the lease of what is being sent. */
export type Trouble =
  | `kill ${Role}`
  | 'kill postgres'
  | 'kill broker'
  | 'kill log'
  | 'log away for long'
  | 'cut wire to log'
  | `relay ${Exclude<Mood, 'honest'>}`
  | 'suspend workspace'

/** `calmMs`: of load between two troubles, and for how long one that passes by itself lasts. `sendersKilled`: when, in ms since the epoch. */
export type Strike = Readonly<{ world: World; calmMs: number; sendersKilled: number[] }>

const SHORT_MS = 1_000
const LONGER_THAN_A_LEASE_MS = 45_000
const CLI_MS = 240_000

const killRole = async ({ world: { stack }, sendersKilled }: Strike, role: Role): Promise<void> => {
  await stack.end(role)
  if (role === 'consumers') sendersKilled.push(Date.now())
  await sleep(Math.random() * SHORT_MS)
  await stack.restart(role)
}

const killAndRestart = async (server: Readonly<{ kill: () => Promise<void>; start: () => Promise<void> }>, awayMs = SHORT_MS) => {
  await server.kill()
  await sleep(awayMs)
  await server.start()
}

/** The database or the log may be away while an operator asks: he asks again. */
const become = async ({ installation }: World, change: 'suspend' | 'resume'): Promise<void> => {
  for (const deadline = Date.now() + CLI_MS; ; await sleep(SHORT_MS)) {
    const done = await installation.tidings(['workspace', change, 'paused']).then(
      () => true,
      (error: unknown) => {
        if (Date.now() > deadline) throw error
        return false
      },
    )
    if (done) return
  }
}

const inMood = async ({ world, calmMs }: Strike, mood: Mood): Promise<void> => {
  await world.relay.mood(mood)
  await sleep(calmMs)
  await world.relay.mood('honest')
}

const suspended = async ({ world, calmMs }: Strike): Promise<void> => {
  await become(world, 'suspend')
  await sleep(calmMs)
  await become(world, 'resume')
}

const RELAY = ['slow', 'greets badly', 'defers', 'refuses', 'away'] as const satisfies readonly Mood[]

const strikes: Readonly<Record<Trouble, (strike: Strike) => Promise<void>>> = {
  'kill command-api': (strike) => killRole(strike, 'command-api'),
  'kill query-api': (strike) => killRole(strike, 'query-api'),
  'kill projectors': (strike) => killRole(strike, 'projectors'),
  'kill consumers': (strike) => killRole(strike, 'consumers'),
  'kill relay': (strike) => killRole(strike, 'relay'),
  'kill postgres': ({ world }) => killAndRestart(world.postgres),
  'kill broker': async ({ world }) => {
    if (world.broker !== null) await killAndRestart(world.broker)
  },
  'kill log': ({ world }) => world.eventStore.killAndRestart(),
  'log away for long': ({ world }) => world.eventStore.killAndRestart(LONGER_THAN_A_LEASE_MS),
  'cut wire to log': ({ world }) => world.eventStore.cut(),
  'relay slow': (strike) => inMood(strike, 'slow'),
  'relay greets badly': (strike) => inMood(strike, 'greets badly'),
  'relay defers': (strike) => inMood(strike, 'defers'),
  'relay refuses': (strike) => inMood(strike, 'refuses'),
  'relay away': (strike) => inMood(strike, 'away'),
  'suspend workspace': suspended,
}

/** Everything that can go wrong in a world, once each. */
export function troublesOf({ kafka }: Readonly<{ kafka: boolean }>): readonly Trouble[] {
  const kills = ROLES.filter((role) => role !== 'relay' || kafka).map((role): Trouble => `kill ${role}`)
  const moods = RELAY.map((mood): Trouble => `relay ${mood}`)
  const stores: readonly Trouble[] = ['kill postgres', 'kill log', 'cut wire to log', ...(kafka ? (['kill broker'] as const) : [])]
  return [...kills, ...moods, ...stores, 'suspend workspace', 'log away for long']
}

export function strike(trouble: Trouble, on: Strike): Promise<void> {
  return strikes[trouble](on)
}
