import { expect, test } from 'vitest'
import { killAnalyst } from './kill-analyst.ts'

const KILLS = Number(process.env.CHAOS_KILLS ?? 10)

test.each(['fold', 'sql'] as const)(
  `an analyst’s projection (%s) that is killed ${KILLS} times equals one that was not`,
  async (style) => {
    const events = 100_000
    const result = await killAnalyst({ kills: KILLS, events, style })
    console.table(result)
    expect(result).toEqual({ killed: KILLS, applied: events, differences: 0, rows: events / 50 })
  },
  1_800_000,
)
