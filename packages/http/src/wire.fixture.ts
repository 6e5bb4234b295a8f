import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { App } from './bare-app.ts'
import { acme } from './demo-app.fixture.ts'

/** Everything the server says until it closes the connection. */
export const hear = async (socket: Socket): Promise<string> => {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** Raw connections to an app that listens. */
export const wire = (app: () => App) => {
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
export const head = (method: string, path: string, headers: Headers): string => keyless(method, path, { ...acme, ...headers })

export const keyless = (method: string, path: string, headers: Headers): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

export const json = { 'Content-Type': 'application/json' }
export const chunked = { ...json, 'Transfer-Encoding': 'chunked' }

/** A chunk of `size` blanks. */
export const chunk = (size: number): string => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`

/** A timer that a test moves on by hand. */
export const manualTimer = () => {
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
