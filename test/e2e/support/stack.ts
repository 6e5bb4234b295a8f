import type { Role } from '@tidings/service'
import { type Gateway, startGateway } from './gateway.ts'
import { type Environment, freePort, launchProcess, type Ran, rolesCommand, type ServiceProcess } from './service-process.ts'

/** The roles of one process. */
export type Seat = readonly Role[]

/** Processes on one machine, each with its roles, and the gateway in front of them. */
export type Stack = Readonly<{
  url: string
  /** The processes as of now, in the order of the seats: a restart replaces one. */
  processes: () => readonly ServiceProcess[]
  /** The first process that has the role. */
  of: (role: Role) => ServiceProcess
  /** Kills the first process that has the role, or that of the seat with the number, with SIGKILL, or ends it with another signal; resolves when it is gone. */
  end: (victim: Role | number, signal?: NodeJS.Signals) => Promise<Ran>
  /** Starts it again on the same port; resolves when it is ready. */
  restart: (victim: Role | number) => Promise<void>
  stop: () => Promise<void>
}>

const SEPARATE: readonly Seat[] = [['command-api'], ['query-api'], ['projectors'], ['consumers']]

type Placed = { readonly seat: Seat; readonly env: Environment & Readonly<{ PORT: string }>; process: ServiceProcess }

const place = async (seat: Seat, env: Environment): Promise<Placed> => {
  const own = { ...env, PORT: String(await freePort()) }
  return { seat, env: own, process: launchProcess(own, rolesCommand(seat)) }
}

/** A process must relay if consumers read from Kafka. */
const withRelay = (seats: readonly Seat[], env: Environment): readonly Seat[] =>
  env.TIDINGS_KAFKA_BROKERS !== undefined && seats.some((seat) => seat.includes('consumers')) ? [...seats, ['relay']] : seats

/**
 * Starts every seat on a migrated database and resolves when all are ready. `env` is what an operator would set for each, `own` what for one seat
 * alone, in the order of the seats.
 */
export async function startStack(env: Environment, seats: readonly Seat[] = SEPARATE, own: readonly Environment[] = []): Promise<Stack> {
  const placed: Placed[] = []
  for (const [n, seat] of withRelay(seats, env).entries())
    placed.push(await place(seat, { TIDINGS_TRUST_PROXY: '127.0.0.1', ...env, ...own[n] }))
  const find = (victim: Role | number): Placed => {
    const found = typeof victim === 'number' ? placed[victim] : placed.find(({ seat }) => seat.includes(victim))
    if (found === undefined) throw new Error(`no process of this stack is ${victim}`)
    return found
  }
  const urlsOf = (role: Role) => placed.filter(({ seat }) => seat.includes(role)).map(({ process }) => process.url)
  let gateway: Gateway | undefined
  const stop = async () => {
    await gateway?.close()
    await Promise.all(placed.map(({ process }) => process.end('SIGTERM')))
  }
  try {
    await Promise.all(placed.map(({ process }) => process.ready()))
    gateway = await startGateway({ commandApi: () => urlsOf('command-api'), queryApi: () => urlsOf('query-api') })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: gateway.url,
    processes: () => placed.map(({ process }) => process),
    of: (role) => find(role).process,
    end: (victim, signal = 'SIGKILL') => find(victim).process.end(signal),
    restart: async (victim) => {
      const seated = find(victim)
      seated.process = launchProcess(seated.env, rolesCommand(seated.seat))
      await seated.process.ready()
    },
    stop,
  }
}
