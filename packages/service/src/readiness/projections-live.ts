import type { ReadinessCheck } from '@tidings/http'
import type { OwnerReport, Progress, ProjectionState } from '@tidings/projections'
import { projections } from '@tidings/projectors'

/** `progress`: of the projections of this process, null where it runs none. `owners`: the process that runs each projection. */
export type Following = Readonly<{ progress: Progress | null; owners: () => Promise<readonly OwnerReport[]> }>

/** The projections that have been live here, and since then only live or catching up. */
const trackCaughtUp = (progress: Progress): ReadonlySet<string> => {
  const caughtUp = new Set<string>()
  const note = (name: string, { state }: Readonly<{ state: ProjectionState }>): void => {
    if (state === 'live') caughtUp.add(name)
    else if (state !== 'catching up') caughtUp.delete(name)
  }
  for (const [name, known] of progress.all()) note(name, known)
  progress.onChange(note)
  return caughtUp
}

/** The state in this process of a projection that no live process owns. */
const stateHere = (progress: Progress | null, name: string): string => {
  const known = progress?.of(name)
  if (known === undefined) return progress === null ? 'followed by no live process' : 'starting'
  return `${known.state}${known.lagEvents ? `, ${known.lagEvents} events behind` : ''}`
}

/**
 * Every projection is live here, or its owner process is alive and has been live with it: then a write is visible when it is answered, and a
 * read holds all acknowledged writes. A projection that falls behind under load stays ready: it is checked again only after it restarted, as
 * after an outage, or got another owner. Missing tables are reported by `read models`.
 */
export function projectionsAreLive({ progress, owners }: Following): ReadinessCheck {
  const caughtUp = progress === null ? new Set<string>() : trackCaughtUp(progress)
  /** The owner of each projection that was live at the last check. */
  const wasLive = new Map<string, string>()

  const missing = (name: string, version: number, report: OwnerReport | undefined): string | null => {
    if (report === undefined) return progress === null ? null : stateHere(progress, name)
    if (report.version < version) return `being built in version ${version}`
    if (!report.alive || report.owner === null) return stateHere(progress, name)
    if (report.state === 'live') wasLive.set(name, report.owner)
    return wasLive.get(name) === report.owner && report.state !== 'failed' ? null : `${report.state} in another process`
  }

  return async () => {
    const open = projections.filter(({ name }) => !caughtUp.has(name))
    if (open.length === 0) return
    const reports = new Map((await owners()).map((report) => [report.projection, report]))
    const reasons = open.flatMap(({ name, version }) => {
      const reason = missing(name, version, reports.get(name))
      return reason === null ? [] : [`${name} is ${reason}`]
    })
    if (reasons.length > 0) throw new Error(reasons.join('; '))
  }
}
