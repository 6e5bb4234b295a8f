import { randomUUID } from 'node:crypto'
import { backoffDelay, pause, unlessAborted } from '@tidings/async'
import { type Mailbox, mailboxAddress, openMailbox } from '@tidings/bounces'
import { Fenced, type Lease, whileLeased } from '@tidings/leases'
import { mailboxLeases } from './mailbox-cursor.ts'
import { type ReadingMails, readMailbox } from './read-mailbox.ts'

/**
 * `url`: `imaps://user:pass@host:port/FOLDER`. `callMs`: for connecting. `pollMs`: the longest time between two looks, default 30 s. `onOutage`
 * gets why the mailbox is not read, once when an outage begins, and null when it is over.
 */
export type BounceReaderOptions = Omit<ReadingMails, 'tries' | 'pollMs' | 'onProgress'> &
  Readonly<{ url: string; callMs: number; pollMs?: number; retryMs?: number; onOutage: (reason: string | null) => void }>

const POLL_MS = 30_000
const RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000

/**
 * Reads the mailbox of bounces in one process at a time. The lease saves the mail server the second reader, and its epoch fences the cursor: receipts
 * themselves are right from two readers at once. Throws one sentence for an address that cannot be used.
 */
export function startBounceReader(options: BounceReaderOptions): Readonly<{ stop: () => Promise<void> }> {
  const { pool, callMs, retryMs = RETRY_MS, pollMs = POLL_MS, onOutage } = options
  const address = mailboxAddress(options.url)
  const stopping = new AbortController()
  const { signal } = stopping
  const owner = randomUUID()
  let held: Lease | null = null
  let failures = 0
  const onProgress = (): void => {
    if (failures > 0) onOutage(null)
    failures = 0
  }
  const reading: ReadingMails = { ...options, pollMs, tries: new Map(), onProgress }

  const session = async (lease: Lease, ending: AbortSignal): Promise<void> => {
    let mailbox: Mailbox | undefined
    try {
      mailbox = await openMailbox(address, callMs)
      await readMailbox(reading, mailbox, lease, ending)
    } finally {
      await mailbox?.close()
    }
  }

  const round = async (): Promise<void> => {
    const lease = await mailboxLeases.acquire(pool, address.name, owner)
    held = lease
    if (lease === null) return
    if (signal.aborted) return await mailboxLeases.release(pool, lease)
    const holding = { leaseMs: mailboxLeases.leaseMs, renew: () => mailboxLeases.renew(pool, lease), signal }
    await whileLeased(holding, (ending) => session(lease, ending))
  }

  const running = (async () => {
    while (!signal.aborted) {
      const error = await unlessAborted(
        round().then(() => null, asError),
        signal,
      )
      if (signal.aborted) return
      if (error !== null && !(error instanceof Fenced) && failures++ === 0) onOutage(error.message)
      const waitMs = error === null ? pollMs : backoffDelay(failures, { minMs: retryMs, maxMs: LONGEST_RETRY_MS })
      await pause(waitMs, signal, { ref: false })
    }
  })()

  return {
    stop: async () => {
      stopping.abort()
      await running
      // Else it ends by itself, within a minute.
      if (held !== null) await mailboxLeases.release(pool, held).catch(() => undefined)
    },
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
