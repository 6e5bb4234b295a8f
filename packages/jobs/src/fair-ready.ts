import type { WorkspaceId } from '@tidings/domain'

/** What `FairReady` needs to know of a job. */
type OfWorkspace = Readonly<{ claim: Readonly<{ workspaceId: WorkspaceId }> }>

/** Claimed jobs that have not begun: the workspaces in turn, the jobs of each in the order in which they were claimed. */
export class FairReady<Job extends OfWorkspace> {
  readonly #jobs = new Map<WorkspaceId, Job[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(job: Job): void {
    const { workspaceId } = job.claim
    const own = this.#jobs.get(workspaceId)
    if (own === undefined) this.#jobs.set(workspaceId, [job])
    else own.push(job)
    this.#size++
  }

  /** The first job of the next workspace that may begin one. */
  take(mayBegin: (workspaceId: WorkspaceId) => boolean): Job | undefined {
    for (const [workspaceId, own] of this.#jobs) {
      if (!mayBegin(workspaceId)) continue
      const job = own.shift()
      this.#jobs.delete(workspaceId)
      if (own.length > 0) this.#jobs.set(workspaceId, own)
      this.#size--
      return job
    }
    return undefined
  }

  takeAll(): readonly Job[] {
    const all = [...this.#jobs.values()].flat()
    this.#jobs.clear()
    this.#size = 0
    return all
  }
}
