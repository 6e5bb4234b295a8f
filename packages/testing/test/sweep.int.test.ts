import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sweep } from '../src/sweep.ts'
import { patientPool } from '../src/test-database.ts'

const SERVER = fileURLToPath(new URL('../src/postgres-server.ts', import.meta.url))

test('the server of a test process that was killed is ended and its folder removed', async () => {
  const script = `import { startTestPostgres } from '${SERVER}'; console.log((await startTestPostgres({ durable: false })).url); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface({ input: child.stdout }), 'line')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const folder = new URL(String(url)).searchParams.get('host') ?? ''
  expect(existsSync(folder)).toBe(true)
  await sweep()
  expect(existsSync(folder)).toBe(false)
  const pool = patientPool({ url: String(url), max: 1, name: 'test' })
  await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ENOENT' })
  await pool.end()
})
