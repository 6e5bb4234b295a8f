import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so many milliseconds, at once when the signal comes. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined)
