import type { Query, QueryClient } from '@tanstack/react-query'

/** From the answer on; a read side that is later than this is read by the next screen. */
const AFTER_MS = [2_000, 5_000, 10_000, 20_000, 40_000, 60_000] as const

const isPending = (written: unknown): boolean =>
  typeof written === 'object' && written !== null && 'isShown' in written && written.isShown === false

/** What a form was filled from stays what it was: its save says what was seen (M74). */
const mayMove = ({ observers }: Query): boolean => observers.every(({ options }) => options.refetchOnWindowFocus !== false)

type LateReads = Readonly<{ queries: () => Pick<QueryClient, 'invalidateQueries'>; say: (isLate: boolean) => void }>

/** Where a write was answered before reads show it (M2), the page says so, and asks again until they do: what it has read after the answer may be old. */
export function createAskWhenShown({ queries, say }: LateReads): (written: unknown) => void {
  let timers: readonly ReturnType<typeof setTimeout>[] = []
  return (written) => {
    if (!isPending(written)) return
    for (const timer of timers) clearTimeout(timer)
    say(true)
    timers = AFTER_MS.map((ms, nth) =>
      setTimeout(() => {
        void queries().invalidateQueries({ predicate: mayMove })
        if (nth === AFTER_MS.length - 1) say(false)
      }, ms),
    )
  }
}
