import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../../src/bare-app.ts'
import { demoApp, THING } from '../demo-app.fixture.ts'
import { json, keyless, manualTimer } from '../wire.fixture.ts'

const QUEUES = '/proc/net/tcp'
/** Less than the kernel takes from a client whose server does not read, and more than the head of a request. */
const REST = 'x'.repeat(20_000)
const LARGE = 64 * 1024 + 1

/**
 * A client that goes on while this thread stands still: it says its first part, tells that it was answered, and says the rest when it is asked to. Then
 * it waits until the kernel has that for the server, wakes this thread, and tells how its connection ended.
 */
const CLIENT = `
  const { readFileSync } = require('node:fs')
  const { connect } = require('node:net')
  const { parentPort, workerData: { port, first, rest, woken } } = require('node:worker_threads')
  const socket = connect(port, '127.0.0.1')
  const hex = (number) => number.toString(16).toUpperCase().padStart(4, '0')
  const isQueued = () => readFileSync('${QUEUES}', 'utf8').split('\\n').some((line) => {
    const [, local = '', remote = '', , queues = ''] = line.trim().split(/\\s+/)
    return local.endsWith(':' + hex(port)) && remote.endsWith(':' + hex(socket.localPort)) && parseInt(queues.split(':')[1], 16) >= rest.length
  })
  let failed = null
  socket.on('error', ({ code }) => { failed = code })
  socket.on('close', () => parentPort.postMessage(failed ?? 'closed'))
  socket.once('data', () => parentPort.postMessage('answered'))
  socket.write(first)
  parentPort.once('message', () => socket.write(rest, () => {
    while (!isQueued());
    Atomics.store(woken, 0, 1)
    Atomics.notify(woken, 0)
  }))
`

let app: App
let timer: ReturnType<typeof manualTimer>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  timer = manualTimer()
  app = demoApp({ after: timer.after })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  await app.close()
  vi.useRealTimers()
})

describe.runIf(existsSync(QUEUES))('a server that stood still while the rest of a body came in, until its wait for that was over', () => {
  const ended = async (first: string, rest: string, waits: () => number): Promise<unknown> => {
    const woken = new Int32Array(new SharedArrayBuffer(4))
    const { port } = app.server.address() as AddressInfo
    const client = new Worker(CLIENT, { eval: true, workerData: { port, first, rest, woken } })
    expect(await once(client, 'message')).toEqual(['answered'])
    await expect.poll(waits).toBeGreaterThan(0)
    client.postMessage('the rest')
    Atomics.wait(woken, 0, 0)
    timer.pass(2_000)
    vi.advanceTimersByTime(2_000)
    const [how] = await once(client, 'message')
    return how
  }

  it('reads it before it closes the connection of a refusal', async () => {
    const first = keyless('POST', THING, { ...json, 'Content-Length': LARGE }) + 'x'.repeat(LARGE - REST.length)
    expect(await ended(first, REST, vi.getTimerCount)).toBe('closed')
  })
  it('reads it where no route waits for it, and answers what comes after it', async () => {
    const next = keyless('GET', '/health/live', { Connection: 'close' })
    const first = keyless('GET', '/health/live', { 'Content-Length': REST.length })
    expect(await ended(first, REST + next, timer.waiting)).toBe('closed')
  })
})
