import { loadConfig } from '@tidings/config'
import { expect, test } from 'vitest'
import { connectTimeoutOf } from '../../src/stores/connect-database.ts'

const configOf = (waitMs?: string) => loadConfig(waitMs === undefined ? {} : { TIDINGS_DATABASE_WAIT_MS: waitMs }, null)

test.each([
  ['service', undefined, 5_000],
  ['service', '20000', 20_000],
  ['command', undefined, 60_000],
  ['command', '20000', 60_000],
  ['command', '90000', 90_000],
] as const)('a %s with TIDINGS_DATABASE_WAIT_MS=%s waits %i ms for a connection', (mode, waitMs, wanted) => {
  expect(connectTimeoutOf(configOf(waitMs), mode)).toBe(wanted)
})
