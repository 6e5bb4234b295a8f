import { useEffect, useRef, useState } from 'react'
import type { ProofVerdict, Question } from './check-chosen.ts'

type CheckState = 'idle' | 'checking' | ProofVerdict
type CheckAnswer = Readonly<{ number: number; verdict: ProofVerdict }>

/** Checks in a worker, which is there from the beginning: nothing is loaded once a proof was chosen. What is not wanted any more is ended. */
export function useChecker() {
  const [state, setState] = useState<CheckState>('idle')
  const worker = useRef<Worker | null>(null)
  const newest = useRef(0)
  const start = (): void => {
    worker.current?.terminate()
    const started = new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module' })
    started.addEventListener('message', ({ data }: MessageEvent<CheckAnswer>) => {
      if (data.number === newest.current) setState(data.verdict)
    })
    // It could not be loaded, or ended, as for want of memory.
    started.addEventListener('error', () => {
      if (started !== worker.current) return
      worker.current = null
      setState({ refused: 'failed' })
    })
    worker.current = started
  }
  useEffect(() => {
    start()
    return () => worker.current?.terminate()
  }, [])
  const check = (question: Question): void => {
    newest.current += 1
    setState('checking')
    if (worker.current === null) start()
    worker.current?.postMessage({ ...question, number: newest.current })
  }
  const forget = (): void => {
    newest.current += 1
    if (state === 'checking') start()
    setState('idle')
  }
  return { state, check, forget }
}
