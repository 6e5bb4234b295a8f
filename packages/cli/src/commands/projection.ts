import { listProjections, type ProjectionReport, rebuildBeside, rebuild as rebuildProjection } from '@tidings/projections'
import { knownProjection, sayingRefusals } from '../operator/known-projection.ts'
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

/** `threads`: default one a core, at most four. */
type Rebuild = Readonly<{ beside: boolean; threads?: number }>

/** `tidings projection rebuild NAME`: returns when the rebuilt tables serve; with `--beside`, when they can be compared and swapped in. */
export function rebuild(name: string, { json, beside, threads }: Json & Rebuild): Promise<void> {
  const projection = knownProjection(name)
  return withOperator(json, async ({ stores }) => {
    const progress = await startProgress(`Rebuilding ${name}`)
    const done = await sayingRefusals(
      (beside ? rebuildBeside : rebuildProjection)({
        projection,
        log: stores.log,
        pool: stores.workPool,
        threads: stores.rebuildThreads(threads),
        onProgress: ({ position, head }) => progress.update(Number(position.commit), Number(head.commit)),
      }),
    ).finally(progress.stop)
    const rate = Math.round(done.events / Math.max(done.seconds, 0.001))
    const built = `${done.events} events in ${done.seconds.toFixed(1)} s (${rate}/s), ${done.parked} streams parked`
    const next = `Compare it with \`tidings projection diff ${name}\`, then \`tidings projection swap ${name}\`.`
    return {
      json: { name, events: done.events, seconds: done.seconds, parked: done.parked, position: String(done.position.commit) },
      lines: beside ? [`Built ${name} beside the live tables: ${built}.`, next] : [`Rebuilt ${name}: ${built}.`],
    }
  })
}
