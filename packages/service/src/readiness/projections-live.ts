import type { ReadinessCheck } from '@tidings/http'
import type { OwnerReport, Progress, ProjectionState } from '@tidings/projections'
import { projections } from '@tidings/projectors'

/** `progress`: that of the projections of this process, null where it runs none. `owners`: who follows them, whichever process that is. */
export type Following = Readonly<{ progress: Progress | null; owners: () => Promise<readonly OwnerReport[]> }>

/** The projections that were live here, and have done nothing since but follow the log. */
const thoseThatCaughtUp = (progress: Progress): ReadonlySet<string> => {
  const caughtUp = new Set<string>()
  const note = (name: string, { state }: Readonly<{ state: ProjectionState }>): void => {
    if (state === 'live') caughtUp.add(name)
    else if (state !== 'catching up') caughtUp.delete(name)
  }
  for (const [name, known] of progress.all()) note(name, known)
  progress.onChange(note)
  return caughtUp
}

/** What this process does about a projection that it does not follow. */
const doneHere = (progress: Progress | null, name: string): string => {
  const known = progress?.of(name)
  if (known === undefined) return progress === null ? 'followed by no live process' : 'starting'
  return `${known.state}${known.lagEvents ? `, ${known.lagEvents} events behind` : ''}`
}

/**
 * Every projection is live here, or its owner is alive and live itself: then a write can be read when it is answered, and a read holds all
 * that was acknowledged. One that falls behind under load is no reason: it was live, and is only looked at again when it has started anew, as
 * after an outage, or has another owner. Tables that nobody has made yet are another check's.
 */
export const projectionsAreLive = ({ progress, owners }: Following): ReadinessCheck => {
  const caughtUp = progress === null ? new Set<string>() : thoseThatCaughtUp(progress)
  /** Who was live with a projection when it was last looked at. */
  const wasLive = new Map<string, string>()

  const missing = (name: string, version: number, report: OwnerReport | undefined): string | null => {
    if (report === undefined) return progress === null ? null : doneHere(progress, name)
    if (report.version < version) return `being built in version ${version}`
    if (!report.alive || report.owner === null) return doneHere(progress, name)
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
