/** A signal so soon after the first is the same request: npm forwards what the terminal has sent to the whole group (M62). */
const SAME_REQUEST_MS = 2_000

/** `stop`: at the first signal. `force`: at each that comes 2 s after it or later. */
export type StopReaction = Readonly<{ stop: (signal: NodeJS.Signals) => void; force: () => void }>

let current: StopReaction | null = null
let requestedAt: number | null = null

function onSignal(signal: NodeJS.Signals): void {
  if (requestedAt === null) {
    requestedAt = performance.now()
    current?.stop(signal)
  } else if (performance.now() - requestedAt >= SAME_REQUEST_MS) current?.force()
}

/** Reacts to SIGINT and SIGTERM from now on, in place of the reaction before. One that has been asked for already stops at once. */
export function onStopRequest(reaction: StopReaction): void {
  if (current === null) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
  current = reaction
  if (requestedAt !== null) reaction.stop('SIGTERM')
}
