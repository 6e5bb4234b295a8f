import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runBroker } from '@tidings/testing/kafka'
import { describe, expect, test } from 'vitest'

const broker = await runBroker()
const SCRIPT = fileURLToPath(new URL('./client.testing.ts', import.meta.url))
const run = promisify(execFile)

describe.runIf(broker !== null)('a process that speaks to Kafka', () => {
  test('writes nothing that is no line of its log', async () => {
    expect((await run(process.execPath, [SCRIPT, broker ?? ''])).stderr).toBe('')
  })

  test('still gets the warning for timers of its own', async () => {
    expect((await run(process.execPath, [SCRIPT, broker ?? '', 'own'])).stderr).toContain('TimeoutNegativeWarning: ours')
  })
})
