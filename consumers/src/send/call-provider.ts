import { onAbort } from '@tidings/async'
import type { Lease } from '@tidings/inbox'
import type { Priority, SendOptions } from '@tidings/providers'

/** `callMs`: the provider's time for one step. `inDoubt` records that the mail was handed over and that its answer is missing. */
export type Calling = Readonly<{
  lease: Pick<Lease, 'ensure'>
  signal: AbortSignal
  priority: Priority
  callMs: number
  inDoubt: () => Promise<void>
}>

/**
 * One call of the provider. The job stays ours for as long as it takes: its lease is renewed, also while the answer to the mail is slow to
 * come. Such a mail is recorded as in doubt, once, and so is one whose answer is missing when the process stops: the next worker of the job,
 * a restart included, then does not send it again at once.
 */
export async function callProvider<Answer>(calling: Calling, call: (options: SendOptions) => Promise<Answer>): Promise<Answer> {
  const { lease, signal, priority, callMs, inDoubt } = calling
  let leftAt: number | null = null
  let renewing = false
  let doubting: Promise<void> | undefined
  const doubt = (): void => {
    if (leftAt === null || doubting !== undefined) return
    // Should it fail, the next beat tries again.
    doubting = inDoubt().catch(() => {
      doubting = undefined
    })
  }
  const keep = (): Promise<void> | undefined => lease.ensure(2 * callMs)
  const renew = async (): Promise<void> => {
    // A lease that is lost is found out at the fence; one that cannot be renewed now is at the next beat.
    await keep()?.catch(() => undefined)
    renewing = false
  }
  const beat = setInterval(() => {
    if (leftAt !== null && performance.now() - leftAt >= callMs) doubt()
    if (renewing) return
    renewing = true
    void renew()
  }, callMs)
  const handedOver = (): void => {
    leftAt = performance.now()
    if (signal.aborted) doubt()
  }
  const returned = (): void => {
    leftAt = null
  }
  const unlink = onAbort(signal, doubt)
  try {
    return await call({ signal, fence: keep, priority, handedOver, returned })
  } finally {
    unlink()
    await doubting
    clearInterval(beat)
  }
}
