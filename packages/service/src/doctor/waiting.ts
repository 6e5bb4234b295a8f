import { dueLagSeconds, inboxDepth, retriesThatWait } from '@tidings/jobs'
import type { Pool } from 'pg'

/** Jobs of a kind that a process has begin within seconds; behind a flood of others they may take longer. */
const LATE_SECONDS = 600

/** Dead letters that were tried again and jobs that are due, which no process takes: one of a kind that no process has waits for ever, and says nothing. */
export async function checkWaiting({ pool }: Readonly<{ pool: Pool }>): Promise<string> {
  const retries = (await retriesThatWait(pool)).map(({ consumer, letters }) => `${consumer} (${letters})`)
  const late: string[] = []
  for (const { kind } of await inboxDepth(pool)) {
    const seconds = await dueLagSeconds(pool, kind)
    if (seconds > LATE_SECONDS) late.push(`${kind} (due for ${Math.floor(seconds / 60)} min)`)
  }
  const said = [
    ...(retries.length === 0 ? [] : [`dead letters that were tried again wait for a process that has ${retries.join(', ')}`]),
    ...(late.length === 0 ? [] : [`jobs wait for a process that has ${late.join(', ')}, or that is less behind`]),
  ]
  if (said.length > 0) throw new Error(said.join('; '))
  return 'no dead letter that was tried again waits for a process that has its consumer, and no job is due for long'
}
