import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tidings/service'
import type { Stack } from '../e2e/support/stack.ts'

/** The time from a kill until the process was up again, in ms since the epoch. */
export type Trouble = readonly [from: number, to: number]

/** Kills each role's process, one after the other with some load before, and starts it again within about a second. */
export async function killVictims(stack: Stack, victims: readonly Role[]): Promise<readonly Trouble[]> {
  const troubles: Trouble[] = []
  for (const victim of victims) {
    await sleep(500 + Math.random() * 2_000)
    const from = Date.now()
    await stack.end(victim)
    await sleep(Math.random() * 1_500)
    await stack.restart(victim)
    troubles.push([from, Date.now()])
  }
  return troubles
}
