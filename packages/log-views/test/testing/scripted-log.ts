import { setImmediate } from 'node:timers/promises'
import type { DecodedBatch, EventLog, Recorded } from '@tidings/codec'
import { asWorkspaceId, type DomainEvent } from '@tidings/domain'

export function at(commit: number) {
  return { commit: BigInt(commit), prepare: 0n }
}

export function recorded<E extends DomainEvent>(event: E, commit: number): Recorded<E> {
  return {
    ...event,
    id: `event ${commit}`,
    stream: 'stream',
    revision: 0,
    position: at(commit),
    created: '2026-01-01T00:00:00.000Z',
    meta: { workspaceId: asWorkspaceId('w1'), actor: 'a', requestId: 'r', schemaVersion: 1, at: '2026-01-01T00:00:00.000Z' },
    erased: false,
  }
}

/** A log whose only subscription delivers what the test says. */
export function scriptedLog() {
  const queue: (DecodedBatch | Error)[] = []
  const asked: { from: unknown; types: readonly string[] | undefined }[] = []
  let wake = () => {}
  const subscribe: EventLog['subscribe'] = async function* ({ from, signal, types }) {
    asked.push({ from, types })
    signal.addEventListener('abort', () => wake())
    while (!signal.aborted) {
      const next = queue.shift()
      if (next instanceof Error) throw next
      if (next) yield next
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const say = async (next: DecodedBatch | Error) => {
    queue.push(next)
    wake()
    await setImmediate()
  }
  return {
    log: { subscribe },
    asked,
    deliver: (events: readonly Recorded[], to: number, caughtUp = true) => say({ events, to: at(to), caughtUp }),
    fail: (error: Error) => say(error),
  }
}
