import { expect, test } from 'vitest'
import { readSideAlone } from './read-side-alone.ts'

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 300)

test('with the primary and all that writes killed the readers answer what was written, say that it may be old, and refuse who has no key', async () => {
  const result = await readSideAlone({ seconds: SECONDS, people: 100, readers: 4 })
  console.table(result)
  expect(result).toMatchObject({ wronglyRefused: 0, failed: 0, wrong: [] })
  expect(result.answered).toBeGreaterThan(SECONDS)
}, 3_600_000)
