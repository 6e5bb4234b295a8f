import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { App } from '../src/bare-app.ts'
import { acme } from './demo-app.fixture.ts'

/** Everything the server says until it closes the connection. */
export async function hear(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** Raw connections to an app that listens. */
export function wire(app: () => App) {
  const dial = async (): Promise<Socket> => {
    const socket = connect((app().server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const say = async (text: string): Promise<string> => {
    const socket = await dial()
    socket.write(text)
    return hear(socket)
  }
  return { dial, say }
}

type Headers = Readonly<Record<string, string | number>>

/** The head of a request as its bytes; with the key of acme unless `headers` has others. */
export function head(method: string, path: string, headers: Headers): string {
  return keyless(method, path, { ...acme, ...headers })
}

export function keyless(method: string, path: string, headers: Headers): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
}

export const json = { 'Content-Type': 'application/json' }
export const chunked = { ...json, 'Transfer-Encoding': 'chunked' }

/** A chunk of `size` blanks. */
export function chunk(size: number): string {
  return `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`
}

/** A timer that a test moves on by hand. */
export function manualTimer() {
  let now = 0
  const due = new Set<Readonly<{ at: number; run: () => void }>>()
  return {
    after: (ms: number, run: () => void) => {
      const entry = { at: now + ms, run }
      due.add(entry)
      return () => {
        due.delete(entry)
      }
    },
    pass: (ms: number) => {
      const end = now + ms
      for (;;) {
        const next = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        due.delete(next)
        now = next.at
        next.run()
      }
      now = end
    },
    waiting: () => due.size,
  }
}
