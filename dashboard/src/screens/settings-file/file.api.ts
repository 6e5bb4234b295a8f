import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { AppliedFile, FileDifference, WorkspaceFileText } from '../../api/calls.ts'
import { ApiProblem, client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'

const FILE = '/dashboard/workspace-file'

export const FILE_DOWNLOAD = outside(`/api/v1${FILE}/download`)

export function usePresentFile() {
  return useQuery({ queryKey: keys.file, queryFn: ({ signal }) => client.read<WorkspaceFileText>(FILE, signal) })
}

/** `difference`: of the text as it was asked about. `isChanged`: somebody else was faster, and it is the new one. `done`: commands of this run. */
type Work = Readonly<{
  difference: FileDifference | null
  done: number
  isPending: boolean
  isApplied: boolean
  isChanged: boolean
  error: Error | null
}>

const IDLE: Work = { difference: null, done: 0, isPending: false, isApplied: false, isChanged: false, error: null }

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** What a file would change, and its application, a part at a time. It stops when its page is left: what is applied stays. */
export function useFileWork() {
  const queries = useQueryClient()
  const [work, setWork] = useState(IDLE)
  const life = useRef(new AbortController())
  // React may run effects twice: the controller belongs to one life.
  useEffect(() => {
    const controller = new AbortController()
    life.current = controller
    return () => controller.abort()
  }, [])

  const ask = async (text: string, known: Partial<Work> = {}): Promise<void> => {
    const { signal } = life.current
    setWork({ ...IDLE, ...known, isPending: true })
    try {
      const difference = await client.compute<FileDifference>(`${FILE}/difference`, { text }, signal)
      setWork({ ...IDLE, ...known, difference })
    } catch (cause) {
      if (!signal.aborted) setWork({ ...IDLE, ...known, error: errorOf(cause) })
    }
  }

  const apply = async (text: string, difference: FileDifference): Promise<void> => {
    const { signal } = life.current
    let [etag, done]: [string | null, number] = [difference.etag, 0]
    setWork({ ...IDLE, difference, isPending: true })
    try {
      while (etag !== null && !signal.aborted) {
        const { data }: Readonly<{ data: AppliedFile }> = await client.write<AppliedFile>(`${FILE}/apply`, {
          body: { text },
          ifMatch: etag,
        })
        etag = data.etag
        done += data.done
        setWork({ ...IDLE, difference, done, isPending: etag !== null, isApplied: etag === null })
      }
    } catch (cause) {
      const error = errorOf(cause)
      if (error instanceof ApiProblem && error.code === 'changed_meanwhile') await ask(text, { isChanged: true })
      else setWork({ ...IDLE, difference, done, error })
    } finally {
      await queries.invalidateQueries()
    }
  }

  return { work, ask, apply, forget: () => setWork(IDLE) }
}
