import type { Dispatcher, Pool } from 'undici'

type LoadedClient = Readonly<{ Pool: typeof Pool; connectionTo: (origin: URL, options: object) => Dispatcher }>

let client: Promise<LoadedClient> | undefined

/** Loaded with the first call: its modules are megabytes that a service without webhooks never needs. */
export function loadClient(): Promise<LoadedClient> {
  client ??= load()
  return client
}

async function load(): Promise<LoadedClient> {
  const { Client, Pool } = await import('undici')

  /**
   * `dispatch` of undici says that the connection is busy also where it refused the request (a header that it does not take), and a pool then
   * waits for a `drain` that never comes: the connection is lost to it. One that has nothing to do is free.
   */
  class Connection extends Client {
    override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      return super.dispatch(request, handler) || this.stats.size === 0
    }
  }

  return { Pool, connectionTo: (origin, options) => new Connection(origin, options) }
}
