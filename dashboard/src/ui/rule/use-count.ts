import type { Rule } from '@tidings/domain'
import { useEffect, useState } from 'react'
import type { RuleCount } from '../../api/calls.ts'
import { ApiProblem, client } from '../../api/client.ts'

/** `isDone`: all contacts were looked at, so that `matches` is exact. */
export type Count = Readonly<{ total: number; looked: number; matches: number; people: RuleCount['people']; isDone: boolean }>

const SHOWN = 10
/** After the last key; and between two steps, so that a large workspace asks about 200 times a minute at most. */
const TYPING_MS = 300
const STEP_MS = 250

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Counts step by step until all contacts were looked at, the rule changes or the screen is left. */
async function countAll(rule: Rule, signal: AbortSignal, onStep: (count: Count) => void): Promise<void> {
  let known: Count = { total: 0, looked: 0, matches: 0, people: [], isDone: false }
  for (let after: string | undefined; !known.isDone; ) {
    await pause(after === undefined ? TYPING_MS : STEP_MS, signal)
    if (signal.aborted) return
    const body = { rule, ...(after !== undefined && { after }) }
    const step = await client.compute<RuleCount>('/dashboard/lists/count', body, signal)
    known = {
      total: step.total,
      looked: known.looked + step.looked,
      matches: known.matches + step.matches,
      people: [...known.people, ...step.people].slice(0, SHOWN),
      isDone: step.next === null,
    }
    onStep(known)
    after = step.next ?? undefined
  }
}

/** How many the rule matches, while it is written: an estimate from the first contacts, exact once all were looked at. */
export function useCount(rule: Rule | null): Readonly<{ count: Count | null; error: ApiProblem | null }> {
  const text = rule === null ? null : JSON.stringify(rule)
  const [known, setKnown] = useState<Readonly<{ text: string | null; count: Count | null; error: ApiProblem | null }>>({
    text: null,
    count: null,
    error: null,
  })
  useEffect(() => {
    if (text === null) return
    const leaving = new AbortController()
    countAll(JSON.parse(text), leaving.signal, (count) => {
      if (!leaving.signal.aborted) setKnown({ text, count, error: null })
    }).catch((error: unknown) => {
      if (!leaving.signal.aborted && error instanceof ApiProblem) setKnown({ text, count: null, error })
    })
    return () => leaving.abort()
  }, [text])
  return text === known.text ? known : { count: null, error: null }
}
