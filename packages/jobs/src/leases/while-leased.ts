import { startTicker } from '@tidings/async'

/** `renew` rejects when the lease is lost. `signal`: the caller wants an end. */
export type WhileLeasedOptions = Readonly<{ leaseMs: number; renew: () => Promise<void>; signal: AbortSignal }>

/**
 * Runs `work` while the lease is renewed, three times in its length. The signal that `work` gets is aborted by `signal`, and as soon as a
 * renewal fails; when `work` has then resolved, the failure is thrown.
 */
export async function whileLeased<Result>(leased: WhileLeasedOptions, work: (ending: AbortSignal) => Promise<Result>): Promise<Result> {
  const { leaseMs, renew, signal } = leased
  const lost = new AbortController()
  const renewing = startTicker(leaseMs / 3, () => renew().catch((error: unknown) => lost.abort(error)))
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]))
    lost.signal.throwIfAborted()
    return result
  } finally {
    renewing.stop()
  }
}
