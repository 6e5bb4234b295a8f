import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const SOURCE = new URL('../../src/start/log-runtime.ts', import.meta.url).href
const LOG = new URL('../../../observability/src/log.ts', import.meta.url).href

/** What a process that logs as `start` does writes, and how it ends. */
function ran(program: string) {
  const whole = `const { createLog } = await import('${LOG}')
const { logRuntime } = await import('${SOURCE}')
logRuntime(await createLog({ level: 'info' }))
${program}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', whole], { encoding: 'utf8' })
  return {
    status,
    stderr,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
  }
}

test('a warning of Node is a line of the log', () => {
  const { status, stderr, lines } = ran(`process.emitWarning('it is old', 'DeprecationWarning', 'DEP0001')
await new Promise((resolve) => setImmediate(resolve))`)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const err = expect.objectContaining({ type: 'DeprecationWarning', message: 'it is old', code: 'DEP0001' })
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', msg: 'Node.js warns', err })])
})

test.each([
  ['an error that nothing catches', `setImmediate(() => { throw new Error('boom of smtp://me:hunter2@relay') })`],
  ['a promise that nothing awaits', `Promise.reject(new Error('boom of smtp://me:hunter2@relay'))`],
])('%s is the last line of the log, without credentials, and ends the process', (_, program) => {
  const { status, stderr, lines } = ran(`${program}
setInterval(() => undefined, 1_000)`)
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  const err = expect.objectContaining({ message: 'boom of smtp://relay', stack: expect.any(String) })
  expect(lines).toEqual([expect.objectContaining({ level: 'fatal', msg: 'an error that nothing handles ends the process', err })])
})
