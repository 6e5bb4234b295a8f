import { comparePositions } from '@tidings/event-store'
import { createProgress, runProjection } from '@tidings/projections'
import { projectionNamed } from '@tidings/projectors'
import { cpuSecondsOfTree } from '../lib/cpu.ts'
import { openEngine } from '../lib/engine.ts'

/** Each projection named follows the log from its first event to its end, alone, one after the other, as its owner does after a standstill. */
export type FollowAloneInput = Readonly<{ url: string; projections: readonly string[] }>
/** CPU in seconds; that of Postgres is null where /proc does not say. */
export type Followed = Readonly<{ projection: string; seconds: number; node: number; postgres: number | null }>

const { url, projections } = JSON.parse(process.argv[2] ?? '{}') as FollowAloneInput
const engine = await openEngine(url)
const head = await engine.log.head()
const { rows } = await engine.pool.query<{ pid: string }>(`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid`)

const cpu = async () => {
  const { user, system } = process.cpuUsage()
  return { node: (user + system) / 1e6, postgres: await cpuSecondsOfTree(Number(rows[0]?.pid)) }
}

const follow = async (projection: string): Promise<Followed> => {
  const progress = createProgress()
  const { promise: isThrough, resolve, reject } = Promise.withResolvers<void>()
  progress.onChange((_, { position }) => {
    if (comparePositions(position, head) >= 0) resolve()
  })
  const [started, before] = [performance.now(), await cpu()]
  const running = runProjection({
    ...{ projection: projectionNamed(projection), log: engine.log, pool: engine.workPool, progress, owner: `bench ${projection}` },
    onFailure: (name, error) => reject(new Error(`${name} failed`, { cause: error })),
  })
  await isThrough
  const seconds = (performance.now() - started) / 1_000
  const after = await cpu()
  await running.stop()
  const postgres = after.postgres === null || before.postgres === null ? null : after.postgres - before.postgres
  return { projection, seconds, node: after.node - before.node, postgres }
}

const answers: Followed[] = []
for (const name of projections) answers.push(await follow(name))
await engine.close()
process.stdout.write(`${JSON.stringify(answers satisfies readonly Followed[])}\n`)
