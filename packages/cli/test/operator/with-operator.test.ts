import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { withOperator } from '../../src/operator/with-operator.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a question to a data directory that holds no installation makes none, and says how to name the right one', async () => {
  const mistyped = join(mkdtempSync(join(tmpdir(), 'tidings-')), 'typo')
  vi.stubEnv('TIDINGS_DATA_DIR', mistyped)
  vi.stubEnv('TIDINGS_DATABASE_URL', undefined)
  const asked = vi.fn()
  await expect(withOperator(false, asked)).rejects.toThrow(
    `There is no installation in ${mistyped}: set TIDINGS_DATA_DIR to where it is, or begin one with \`npm start\` or \`tidings apply\`.`,
  )
  expect(asked).not.toHaveBeenCalled()
  expect(existsSync(mistyped)).toBe(false)
})
