import { Progress as Bar, Button, Group } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords } from '../words/words.tsx'
import { doForEach, type Progress } from './bulk.ts'
import styles from './bulk-progress.module.css'

type Run<Row> = Readonly<{
  nameOf: (row: Row) => Readonly<{ id: string; name: string }>
  doOne: (row: Row) => Promise<unknown>
  refresh: () => Promise<unknown>
}>

/** One thing done for each of some rows. It stops when its place on the page goes. */
export function useBulk<Row>({ nameOf, doOne, refresh }: Run<Row>) {
  const [progress, setProgress] = useState<Progress | null>(null)
  const life = useRef(new AbortController())
  // React may run effects twice: the controller belongs to one life.
  useEffect(() => {
    const controller = new AbortController()
    life.current = controller
    return () => controller.abort()
  }, [])
  const begin = async (rows: readonly Row[]): Promise<void> => {
    const { signal } = life.current
    setProgress({ done: 0, failures: [], total: rows.length, isOver: false })
    await doForEach({ rows, nameOf, doOne, onProgress: setProgress, signal })
    await refresh()
  }
  const stop = (): void => {
    life.current.abort()
    life.current = new AbortController()
  }
  return { progress, begin, stop, clear: () => setProgress(null) }
}

type Sentences = Readonly<Record<'done' | 'failed' | 'untried', (count: number) => string>>
type Props = Readonly<{
  progress: Progress
  sentences: Sentences
  show: (row: Readonly<{ id: string; name: string }>) => ReactNode
  onStop: () => void
  onClose: () => void
}>

/** How far it is, and for which rows it was not done. */
export function BulkProgress({ progress: { done, failures, total, isOver }, sentences, show, onStop, onClose }: Props) {
  const { bulk: words, app } = useWords()
  const tried = done + failures.length
  return (
    <div className={styles.progress}>
      <Bar value={(tried / total) * 100} aria-label={words.progressLabel} />
      <p role="status">{isOver ? sentences.done(done) : words.progress(tried, total)}</p>
      {isOver && tried < total && <p>{sentences.untried(total - tried)}</p>}
      {failures.length > 0 && (
        <section aria-label={sentences.failed(failures.length)}>
          <p>{sentences.failed(failures.length)}</p>
          <ul className={styles.failures}>
            {failures.map(({ id, name, error }) => (
              <li key={id}>
                {show({ id, name })}: <bdi lang="en">{error.message}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Group justify="flex-end">
        {isOver ? (
          <Button onClick={onClose}>{app.close}</Button>
        ) : (
          <Button variant="default" onClick={onStop}>
            {words.stop}
          </Button>
        )}
      </Group>
    </div>
  )
}
