import { getServers } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import pTimeout from 'p-timeout'
import { createHosts, type Hosts } from './hosts-file.ts'

/** Every address of a name; none where the name has none. Rejects when no server answered in time. */
export type Resolve = (host: string) => Promise<readonly string[]>

const NONE = new Set(['ENOTFOUND', 'ENODATA'])
const DEADLINE_MS = 5_000
/** Node looks after the timeouts of c-ares once a second. */
const SLACK_MS = 1_000
const TRIES = 2
const HOSTS_FILE = '/etc/hosts'

/**
 * Looks names up at the servers that this machine is set up with, its hosts file first. c-ares asks them over sockets of its own:
 * getaddrinfo would block one of libuv's four threads for as long as a name server is silent, and eight silent ones would stop every other
 * look-up, file and password hash of the process. Search domains of resolv.conf are not tried: names are complete.
 */
export function createSystemResolver(hosts: Hosts = createHosts(HOSTS_FILE), servers: readonly string[] = []): Resolve {
  const byServers = createServerResolver(servers)
  return async (host) => {
    const known = hosts(host)
    return known.length > 0 ? known : byServers(host)
  }
}

/** Looks names up at the given DNS servers (`address[:port]`) alone; none given: at those of the machine. `deadlineMs`: for one name, over all servers and tries. */
export function createServerResolver(servers: readonly string[], deadlineMs: number = DEADLINE_MS): Resolve {
  const resolver = dnsClient(servers, deadlineMs)
  return async (host) => {
    const asked = [resolver.resolve4(host), resolver.resolve6(host)]
    const answers = await Promise.allSettled(asked.map((family) => inTime(family.catch(noneOr), deadlineMs)))
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    // A server that answers for one family only is common; where it leads is known all the same.
    if (found.length === 0 && failed) throw failed.reason
    return found
  }
}

const dnsClient = (servers: readonly string[], deadlineMs: number): Resolver => {
  const count = Math.max(1, servers.length > 0 ? servers.length : getServers().length)
  const timeout = Math.floor((deadlineMs - SLACK_MS) / (TRIES * count))
  const resolver = new Resolver({ timeout, tries: TRIES, maxTimeout: timeout })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** Text records of a name, each as one text: none where it has none; null where no server said in time. Never rejects. */
export type TextRecords = Readonly<{ texts: (name: string) => Promise<readonly string[] | null> }>

/** IPv4 addresses of a name, as `texts` gives its texts. */
export type AddressRecords = Readonly<{ addresses: (name: string) => Promise<readonly string[] | null> }>

export type RecordLookups = TextRecords & AddressRecords

/** Looks records up at the given DNS servers (`address[:port]`); none given: at those of the machine. `deadlineMs`: for one name, over all servers and tries. */
export function createRecordLookups(servers: readonly string[], deadlineMs: number = DEADLINE_MS): RecordLookups {
  const resolver = dnsClient(servers, deadlineMs)
  const nullOr = async <Value>(asked: Promise<readonly Value[]>): Promise<readonly Value[] | null> => {
    try {
      return await inTime(asked, deadlineMs)
    } catch (error) {
      return NONE.has((error as NodeJS.ErrnoException).code ?? '') ? [] : null
    }
  }
  return {
    texts: async (name) => (await nullOr(resolver.resolveTxt(name)))?.map((parts) => parts.join('')) ?? null,
    addresses: (name) => nullOr(resolver.resolve4(name)),
  }
}

const noneOr = (error: NodeJS.ErrnoException): readonly string[] => {
  if (NONE.has(error.code ?? '')) return []
  throw error
}

/** c-ares ends by itself soon after, by its own timeouts. */
const inTime = <Value>(asked: Promise<Value>, milliseconds: number): Promise<Value> =>
  pTimeout(asked, { milliseconds, message: 'no name server answered in time' })
