import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FoundBroker, findBroker } from './find.ts'

/** Serves the workers of a test run that ask for its broker. `url` is for `askForBroker`. */
export type BrokerRequests = Readonly<{ url: string; stop: () => Promise<void> }>

/**
 * Gives a test run one broker, started when the first test file asks for it. The process that runs the tests owns it: a worker may
 * end before the others are through.
 */
export async function serveBrokerRequests(): Promise<BrokerRequests> {
  let broker: Promise<FoundBroker> | null = null
  const server = createServer((_, response) => {
    broker ??= findBroker()
    broker.then(
      ({ address }) => response.end(JSON.stringify({ address })),
      (error: Error) => response.end(JSON.stringify({ missing: error.message })),
    )
  })
  const url = await listening(server)
  return {
    url,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await broker?.then(({ stop }) => stop()).catch(() => undefined)
    },
  }
}

export type Answer = Readonly<{ address: string }> | Readonly<{ missing: string }>

export async function askForBroker(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer
}

const listening = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
