import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { leftOut } from '@tidings/testing'
import { ROOT } from '../docs/markdown.ts'
import type { ClientResult, Driver } from './driver.ts'

/** Where test/docs/python-client/install.sh puts Python with httpx, and the tools of the tests. */
export const PYTHON = `${ROOT}node_modules/.cache/python-client/bin/python`

/** Whether the tests of Python run here. */
export const hasPython = existsSync(PYTHON) || leftOut('python-client', 'run test/docs/python-client/install.sh, which needs Python 3.')

type Process = Readonly<{ ask: (line: object) => Promise<unknown>; stop: () => Promise<void> }>

/** Starts the program of the driver, which answers one line after the other. */
const startProcess = (mode: 'sync' | 'async'): Process => {
  const child = spawn(PYTHON, [`${ROOT}test/clients/python-driver.py`, mode], {
    env: { ...process.env, PYTHONPATH: `${ROOT}clients/python/src`, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let before: Promise<unknown> = Promise.resolve()
  const ask = async (line: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(line)}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('the program of the Python driver ended')
    return JSON.parse(value)
  }
  return {
    ask: (line) => {
      const asked = before.then(() => ask(line))
      before = asked.catch(() => {})
      return asked
    },
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

/** The client of clients/python, from its source: the one that blocks, or the one to await. */
export function pythonDriver(mode: 'sync' | 'async'): Driver {
  let running: Process | undefined
  const ask = (line: object): Promise<unknown> => {
    running ??= startProcess(mode)
    return running.ask(line)
  }
  return {
    name: `Python ${mode}`,
    call: async (settings, call) => (await ask({ settings, call })) as ClientResult,
    verify: async (request) => (await ask({ verify: request })) as Awaited<ReturnType<Driver['verify']>>,
    stop: async () => {
      await running?.stop()
      running = undefined
    },
  }
}
