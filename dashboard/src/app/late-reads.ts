import { useSyncExternalStore } from 'react'

const state = { isLate: false }
const listeners = new Set<() => void>()

/** Says whether the page asks again for what was saved and is not shown yet. */
export function sayLate(isLate: boolean): void {
  state.isLate = isLate
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function useLateReads(): boolean {
  return useSyncExternalStore(subscribe, () => state.isLate)
}
