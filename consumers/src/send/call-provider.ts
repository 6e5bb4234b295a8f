import { isPromise, judgedNow, type MaybePromise, onAbort } from '@tidings/async'
import type { MessageCommand } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import type { Priority, SendOptions } from '@tidings/providers'

/** What keeps a message back: an outcome, or another time. */
export type Block = MessageCommand | Deferral

/** Judges a message in the moment in which it would be handed over (M43); null lets it go. */
export type Gate = () => MaybePromise<Block | null>

/** A gate was closed when the provider was free for the message: nothing of it was sent. */
export class GateClosed extends Error {
  override readonly name = 'GateClosed'
  readonly block: Block
  constructor(block: Block) {
    super('a gate was closed before the message was handed over')
    this.block = block
  }
}

/**
 * `gate`: none by default. `callMs`: the provider's time for one step. `inDoubt` records that the mail was handed over to that provider and that its answer is
 * missing. `boundTo`: the provider that may have it already (M68). `onChosen` gets each provider of several that it goes to, by its label.
 */
export type Calling = Readonly<{
  lease: Readonly<{ ensure: (ms: number) => Promise<void> | undefined; markTarget?: (target: string) => Promise<void> }>
  signal: AbortSignal
  callMs: number
  inDoubt: () => Promise<void>
  priority?: Priority
  gate?: Gate
  boundTo?: string | null
  onChosen?: (provider: string) => void
}>

/**
 * One call of the provider, which rejects with `GateClosed` where the gate is closed at the hand-over. The job stays ours for as long as it takes: its lease is renewed, also while the answer to the mail is slow to
 * come. Such a mail is recorded as in doubt, once, and so is one whose answer is missing when the process stops: the next worker of the job,
 * a restart included, then does not send it again at once.
 */
export async function callProvider<Answer>(calling: Calling, call: (options: SendOptions) => Promise<Answer>): Promise<Answer> {
  const { lease, signal, callMs, inDoubt, priority = 'transactional', gate = () => null, boundTo = null, onChosen } = calling
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
  const target = targetOf(lease, boundTo)
  const chosen = (provider: string): void => {
    target.choose(provider)
    onChosen?.(provider)
  }
  try {
    return await call({ signal, priority, fence: fenceOf(keep, target.note, gate), handedOver, returned, boundTo, chosen })
  } finally {
    unlink()
    await doubting
    clearInterval(beat)
  }
}

/**
 * The provider of several that the message goes to. It is put down before the hand-over, once for each, and before the gate is judged: a process that takes
 * over after a kill must not give the message to another (M68). Where there is one provider, nothing is written.
 */
const targetOf = (lease: Calling['lease'], boundTo: string | null) => {
  let target = boundTo
  let noted = boundTo
  let pending: Readonly<{ to: string; done: Promise<void> }> | null = null
  const put = async (to: string, before: Promise<void> | undefined): Promise<void> => {
    await before?.catch(() => undefined)
    await lease.markTarget?.(to)
    noted = to
  }
  return {
    choose: (provider: string): void => {
      target = provider
    },
    note: (): Promise<void> | undefined => {
      if (target === null || target === noted) return undefined
      if (pending?.to !== target) pending = { to: target, done: put(target, pending?.done) }
      return pending.done
    },
  }
}

/** The lease, then the provider that it goes to, then the gate; without a promise where all are known. */
const fenceOf = (keep: () => Promise<void> | undefined, note: () => Promise<void> | undefined, gate: Gate): SendOptions['fence'] => {
  const judge = (): Promise<void> | undefined => {
    const block = judgedNow(gate)
    if (isPromise(block)) return block.then(letPass)
    return block === null ? undefined : Promise.reject(new GateClosed(block))
  }
  const noteAndJudge = (): Promise<void> | undefined => {
    const noted = note()
    return noted === undefined ? judge() : noted.then(judge)
  }
  return () => {
    const kept = keep()
    return kept === undefined ? noteAndJudge() : kept.then(noteAndJudge)
  }
}

const letPass = (block: Block | null): void => {
  if (block !== null) throw new GateClosed(block)
}
