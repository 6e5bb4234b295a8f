import { OperationFailed } from '@tidings/config'
import { listProjections, type ProjectionReport, rebuild as rebuildProjection } from '@tidings/projections'
import { projectionNamed } from '@tidings/service/read-side'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'
import { startProgress } from '../terminal/progress.ts'

type Json = Readonly<{ json: boolean }>

/** Positions as text: they do not fit a JSON number. */
const toItem = ({ position, head, lagEvents, lagSeconds, ...report }: ProjectionReport) => ({
  ...report,
  position: { commit: String(position.commit), prepare: String(position.prepare) },
  head: { commit: String(head.commit), prepare: String(head.prepare) },
  lag: { events: lagEvents === null ? null : Number(lagEvents), seconds: lagSeconds },
})

const line = ({ name, version, state, position, lagEvents, parkedStreams, failure }: ProjectionReport): string => {
  const parked = parkedStreams > 0 ? `  ${parkedStreams} parked` : ''
  const failed = failure === null ? '' : `  ${failure.message}`
  return `${name.padEnd(20)} v${version}  ${state.padEnd(12)} at ${position.commit}  behind ${lagEvents ?? '?'}${parked}${failed}`
}

/** `tidings projection list`. */
export function list({ json }: Json): Promise<void> {
  return withOperator(json, async ({ stores }) => {
    const reports = await listProjections(stores.pool, stores.log)
    const answer = listAnswer(reports, line, 'No projection has run yet.')
    return { ...answer, json: { items: reports.map(toItem) } }
  })
}

const known = (name: string): ReturnType<typeof projectionNamed> => {
  try {
    return projectionNamed(name)
  } catch (error) {
    throw new OperationFailed(error instanceof Error ? error.message : String(error))
  }
}

/** `tidings projection rebuild NAME`: returns when the rebuilt tables serve. */
export function rebuild(name: string, { json }: Json): Promise<void> {
  const projection = known(name)
  return withOperator(json, async ({ stores }) => {
    const progress = await startProgress(`Rebuilding ${name}`)
    try {
      const done = await rebuildProjection({
        projection,
        log: stores.log,
        pool: stores.workPool,
        onProgress: ({ position, head }) => progress.update(Number(position.commit), Number(head.commit)),
      })
      const rate = Math.round(done.events / Math.max(done.seconds, 0.001))
      return {
        json: { name, events: done.events, seconds: done.seconds, parked: done.parked, position: String(done.position.commit) },
        lines: [`Rebuilt ${name}: ${done.events} events in ${done.seconds.toFixed(1)} s (${rate}/s), ${done.parked} streams parked.`],
      }
    } finally {
      progress.stop()
    }
  })
}
