import { expect, test } from 'vitest'
import { killAnalyst } from './kill-analyst.ts'

test.each(['fold', 'sql'] as const)(
  'an analyst’s projection (%s) that is killed again and again equals one that was not',
  async (style) => {
    const events = 20_000
    const { killed, ...result } = await killAnalyst({ kills: style === 'fold' ? 3 : 1, events, style })
    expect(result).toEqual({ applied: events, differences: 0, rows: events / 50 })
    expect(killed).toBeGreaterThan(0)
  },
  400_000,
)
