import { randomUUID } from 'node:crypto'
import type { EventLog } from '@tidings/codec'
import type { Logger } from '@tidings/observability/log'
import { observe, type Sample, sharedRead } from '@tidings/observability/metrics'
import {
  type AnyProjection,
  createProgress,
  listProjections,
  type Progress,
  type ProjectionReport,
  type RebuildThreads,
  runProjection,
} from '@tidings/projections'
import type { Pool } from 'pg'
import { projections } from './projections.ts'

/** The reports of a process that has this role. `requestPool`: for what is read at a scrape. */
type Reporting = Readonly<{ logger: Logger; requestPool: Pool }>

export type ProjectorsOptions = Readonly<{
  log: EventLog
  /** The pool: at least two connections more than the process otherwise needs. Each projection uses one at a time. */
  pool: Pool
  /** Share it with the read side of the same process. */
  progress?: Progress
  /** Those that may build a new version of a projection's tables. */
  threads?: () => RebuildThreads | undefined
  /** Hears of every failure when it begins. */
  onFailure?: (projection: string, error: unknown) => void
  reporting?: Reporting
}>

/** `stop` resolves when every batch under way is written and every lease is free. */
export type Projectors = Readonly<{ progress: Progress; stop: () => Promise<void> }>

/** Runs every projection; those that another process owns wait for their turn. */
export function startProjectors({ log, pool, progress = createProgress(), reporting, ...options }: ProjectorsOptions): Projectors {
  const owner = randomUUID()
  const onFailure =
    options.onFailure ??
    ((projection: string, error: unknown) => reporting?.logger.error({ err: error, projection }, 'a projection failed'))
  const running = projections.map((projection) => runProjection({ projection, log, pool, progress, owner, ...options, onFailure }))
  if (reporting) observeProjections({ log, pool: reporting.requestPool, progress })
  return {
    progress,
    stop: async () => {
      await Promise.all(running.map(({ stop }) => stop()))
    },
  }
}

const OWNED = new Set(['catching up', 'live', 'retrying'])

type Observed = Readonly<{ log: EventLog; pool: Pool; progress: Progress }>

/** Lag and parked streams of each projection of the installation, and which of them this process runs. */
function observeProjections({ log, pool, progress }: Observed): void {
  const list = sharedRead(() => listProjections(pool, log))
  const labelNames = ['projection']
  const reports = async (figureOf: (report: ProjectionReport) => number | null): Promise<readonly Sample[]> =>
    (await list()).flatMap((report) => {
      const value = figureOf(report)
      return value === null ? [] : [{ labels: { projection: report.name }, value }]
    })
  observe({
    name: 'tidings_projection_lag_events',
    help: 'Events between a projection and the end of the log',
    labelNames,
    read: () => reports(({ lagEvents }) => (lagEvents === null ? null : Number(lagEvents))),
  })
  observe({
    name: 'tidings_projection_lag_seconds',
    help: 'Age of the oldest event a projection has not applied',
    labelNames,
    read: () => reports(({ lagSeconds }) => lagSeconds),
  })
  observe({
    name: 'tidings_projection_parked_streams',
    help: 'Streams that a projection has parked',
    labelNames,
    read: () => reports(({ parkedStreams }) => parkedStreams),
  })
  observe({
    name: 'tidings_projection_owned',
    help: 'Whether this process follows the projection',
    labelNames,
    read: () => [...progress.all()].map(([projection, { state }]) => ({ labels: { projection }, value: OWNED.has(state) ? 1 : 0 })),
  })
}

/** Throws one sentence that names what there is, for `projection rebuild NAME`. */
export function projectionNamed(name: string): AnyProjection {
  const found = projections.find((projection) => projection.name === name)
  if (found === undefined) throw new Error(`There is no projection ${name}: there are ${projections.map((one) => one.name).join(', ')}.`)
  return found
}
