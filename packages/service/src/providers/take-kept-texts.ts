import { watchDue } from '@tidings/jobs'
import { FIRST_KEPT_TEXT, type InboundTexts } from '@tidings/receipts'
import type { Pool } from 'pg'

type Taking = Readonly<{ pool: Pool; inbound: Pick<InboundTexts, 'takeDue'>; onFault: (error: unknown) => void }>

/** Decides kept texts when they are due, in every process that takes them: one round at a time. */
export function startTakingKeptTexts({ pool, inbound, onFault }: Taking): Readonly<{ stop: () => Promise<void> }> {
  let round: Promise<void> | null = null
  const watch = watchDue(pool, { kind: 'inbound-texts', sql: FIRST_KEPT_TEXT }, () => {
    round ??= inbound
      .takeDue()
      .catch(onFault)
      .finally(() => {
        round = null
      })
  })
  return {
    stop: async () => {
      await watch.stop()
      await round
    },
  }
}
