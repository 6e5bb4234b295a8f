import { expect, test } from 'vitest'
import { killAnalyst } from './kill-analyst.ts'

test('an analyst’s projection that is killed again and again equals one that was not', async () => {
  const events = 20_000
  const { killed, ...result } = await killAnalyst({ kills: 3, events, style: 'fold' })
  expect(result).toEqual({ applied: events, differences: 0, rows: events / 50 })
  expect(killed).toBeGreaterThan(0)
}, 1_200_000)
