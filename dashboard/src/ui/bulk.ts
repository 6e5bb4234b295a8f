/** One of the chosen profiles for which something was not done, and why. */
type Failure = Readonly<{ id: string; name: string; error: Error }>
export type Progress = Readonly<{ done: number; failures: readonly Failure[]; total: number; isOver: boolean }>

type Work<Row> = Readonly<{
  rows: readonly Row[]
  nameOf: (row: Row) => Readonly<{ id: string; name: string }>
  doOne: (row: Row) => Promise<unknown>
  onProgress: (progress: Progress) => void
  signal: AbortSignal
}>

/** Calls at a time: a session may make ten a second, and others of its tabs are there too. */
const AT_A_TIME = 4

/** Does one thing for each row, some at a time. One that fails stops no other; after the signal none is begun. */
export async function doForEach<Row>({ rows, nameOf, doOne, onProgress, signal }: Work<Row>): Promise<Progress> {
  let progress: Progress = { done: 0, failures: [], total: rows.length, isOver: false }
  const note = (change: Partial<Progress>): void => {
    progress = { ...progress, ...change }
    onProgress(progress)
  }
  const left = rows.values()
  const worker = async (): Promise<void> => {
    for (const row of left) {
      if (signal.aborted) return
      try {
        await doOne(row)
        note({ done: progress.done + 1 })
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause))
        note({ failures: [...progress.failures, { ...nameOf(row), error }] })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  note({ isOver: true })
  return progress
}
