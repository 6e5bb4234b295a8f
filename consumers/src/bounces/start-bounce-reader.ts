import { backoffDelay, pause, unlessAborted } from '@tidings/async'
import { type Mailbox, mailboxAddress, openMailbox } from '@tidings/bounces'
import { Fenced, type Lease, leaseHolder } from '@tidings/leases'
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
  const holder = leaseHolder({ leases: mailboxLeases, pool, name: address.name, signal })
  let failures = 0
  const onProgress = (): void => {
    if (failures > 0) onOutage(null)
    failures = 0
  }
  const reading: ReadingMails = { ...options, pollMs, tries: new Map(), onProgress }

  const session = async (lease: Lease, ending: AbortSignal): Promise<void> => {
    let mailbox: Mailbox | undefined
    try {
      mailbox = await openMailbox(address, { callMs })
      await readMailbox(reading, mailbox, lease, ending)
    } finally {
      await mailbox?.close()
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      const error = await unlessAborted(
        holder.act(session).then(() => null, asError),
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
      await holder.release()
    },
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
