import { onAbort } from './on-abort.ts'

/** `ref: false`: the timer does not keep the process alive. */
export type PauseOptions = Readonly<{ ref?: boolean }>

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal, { ref = true }: PauseOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      remove()
      resolve()
    }, ms)
    if (!ref) timer.unref()
    const remove = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
