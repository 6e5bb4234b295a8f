import { shredSubjects } from '@tidings/codec/keys'
import { type MessageId, passcodeSubject, type WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

type Spent = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>

type SpentOptions = Readonly<{ pool: Pool; onError: (error: unknown) => void; flushMs?: number }>

/** Deletes the records of passcodes that were used or discarded, soon. */
export type SpentPasscodes = Readonly<{ add: (spent: Spent) => void; close: () => Promise<void> }>

const FLUSH_MS = 1_000
/** Keys beyond this number wait for the retention, which deletes the key of every passcode. */
const MAX_WAITING = 10_000

/** Collects them, and deletes their keys in one statement a second. What a process does not get to, because it dies, the retention deletes. */
export function createSpentPasscodes({ pool, onError, flushMs = FLUSH_MS }: SpentOptions): SpentPasscodes {
  let waiting: Spent[] = []
  let flushing: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    const batch = waiting
    if (batch.length === 0) return flushing
    waiting = []
    const refs = batch.map(({ workspaceId, messageId }) => ({ workspaceId, subject: passcodeSubject({ messageId }) }))
    flushing = flushing.then(() => shredSubjects(pool, refs)).catch(onError)
    return flushing
  }
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  return {
    add: (spent) => {
      if (isClosed) return
      if (waiting.length === 0) timer = setTimeout(flush, flushMs).unref()
      if (waiting.length < MAX_WAITING) waiting.push(spent)
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      return flush()
    },
  }
}
