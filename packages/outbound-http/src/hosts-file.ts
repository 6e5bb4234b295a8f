import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** The addresses that a hosts file gives a name; none where it does not name it. */
export type Hosts = (host: string) => readonly string[]

const CHECK_EVERY_MS = 5_000

/**
 * Reads a hosts file, again when it has changed. It is read synchronously, at most every five seconds: an asynchronous read waits for one
 * of libuv's threads, which silent disks or name servers may block.
 */
export function createHosts(path: string, now: () => number = () => performance.now()): Hosts {
  let checkedAt = Number.NEGATIVE_INFINITY
  let changedAt: number | undefined
  let byName = new Map<string, readonly string[]>()

  const refresh = (): void => {
    if (now() - checkedAt < CHECK_EVERY_MS) return
    checkedAt = now()
    const mtime = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (mtime === changedAt) return
    changedAt = mtime
    byName = mtime === undefined ? new Map() : parseHosts(readFileSync(path, 'utf8'))
  }

  return (host) => {
    refresh()
    return byName.get(host.toLowerCase()) ?? []
  }
}

const parseHosts = (text: string): Map<string, readonly string[]> => {
  const byName = new Map<string, readonly string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) byName.set(name.toLowerCase(), [...(byName.get(name.toLowerCase()) ?? []), address])
  }
  return byName
}
