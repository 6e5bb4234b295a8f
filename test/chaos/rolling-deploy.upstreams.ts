import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tidings/service'

const LOOK_MS = 100
const LOOK_TIMEOUT_MS = 2_000

export type Watched = Readonly<{
  add: (role: Role, url: string) => void
  /** Resolves when requests go to the address. */
  chosen: (role: Role, url: string) => Promise<void>
  /** Where a request goes: to those that were ready at the newest look at which any was, and do not stop. */
  of: (role: Role) => readonly string[]
  /** Forgets it, as a service forgets a pod that is about to end. */
  remove: (url: string) => void
  stop: () => Promise<void>
}>

/** What a gateway knows of processes by asking each for `/health/ready`, ten times a second. */
export function watchUpstreams(): Watched {
  const known = new Map<string, { role: Role; readyAt: number }>()
  const ending = new AbortController()
  let round = 0
  const look = async (url: string, at: number): Promise<void> => {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).catch(() => null)
    const said = (await answer?.text().catch(() => '')) ?? ''
    const seen = known.get(url)
    if (seen === undefined) return
    if (answer?.status === 200) seen.readyAt = at
    if (said.includes('shutting down')) seen.readyAt = 0
  }
  const watching = (async () => {
    while (!ending.signal.aborted) {
      round++
      await Promise.all([...known.keys()].map((url) => look(url, round)))
      await sleep(LOOK_MS)
    }
  })()
  const of = (role: Role): readonly string[] => {
    const all = [...known].filter(([, upstream]) => upstream.role === role && upstream.readyAt > 0)
    const newest = Math.max(...all.map(([, { readyAt }]) => readyAt))
    return all.filter(([, { readyAt }]) => readyAt === newest).map(([url]) => url)
  }
  return {
    add: (role, url) => void known.set(url, { role, readyAt: 0 }),
    remove: (url) => void known.delete(url),
    of,
    chosen: async (role, url) => {
      while (!of(role).includes(url)) await sleep(LOOK_MS)
    },
    stop: async () => {
      ending.abort()
      await watching
    },
  }
}
