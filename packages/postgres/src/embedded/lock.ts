import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startTicker } from '@tidings/async'

/**
 * One process owns a data directory at a time. The lock file names its host, process id and start time, so that a process which
 * later got the same id is not taken for it. On another host (two containers, one volume) ids say nothing: there the holder lives
 * as long as it touches the file every second.
 */
export type Lock = Readonly<{ release: () => Promise<void> }>

const TOUCH_MS = 1_000
const SILENCE_MS = 3_500
const CLEARING_MS = 10

/** Takes the lock, replacing a dead holder's. Throws one sentence that names the data directory when a living process has it. */
export async function lock(file: string, directory: string = dirname(file)): Promise<Lock> {
  const taken = await take(file)
  if (typeof taken !== 'string') return taken
  const advice = 'stop it, or give this one another TIDINGS_DATA_DIR'
  throw new Error(`Another Tidings (process ${taken.split(' ')[1]}) already runs on ${directory}: ${advice}.`)
}

/** The same, but null when a living process has it. */
export async function tryLock(file: string): Promise<Lock | null> {
  const taken = await take(file)
  return typeof taken === 'string' ? null : taken
}

/** Whether a living process has the lock; a dead holder's lock is cleared. */
export async function isLocked(file: string): Promise<boolean> {
  return (await livingOwner(file)) !== null
}

/** Whether this process has the lock. */
export async function isOwn(file: string): Promise<boolean> {
  return (await ownerOf(file)) === (await ownName())
}

const ownName = async (): Promise<string> => `${hostname()} ${process.pid} ${await startOf(process.pid)}`

/** The lock, or who has it. */
async function take(file: string): Promise<Lock | string> {
  const mine = await ownName()
  // Two containers may have the same process id, and one volume: a draft that they shared would be written by one and linked by the other.
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, mine, { mode: 0o600 })
  try {
    while (!(await linked(draft, file))) {
      const found = await livingOwner(file)
      if (found !== null) return found
    }
  } finally {
    await rm(draft, { force: true })
  }
  const touching = startTicker(TOUCH_MS, () => utimes(file, new Date(), new Date()).catch(() => undefined))
  return {
    release: async () => {
      touching.stop()
      if ((await ownerOf(file)) === mine) await rm(file, { force: true })
    },
  }
}

async function livingOwner(file: string): Promise<string | null> {
  const found = await ownerOf(file)
  if (found === null) return null
  if (await lives(file, found)) return found
  await clear(file, found)
  return null
}

/** The holder in the lock file, alive or not: host, process id and start time; null when there is none. */
export async function ownerOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}

async function linked(draft: string, file: string): Promise<boolean> {
  return link(draft, file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}

/** Only a process that has the lock on this very file may remove it: another may have put its own lock there meanwhile. */
async function clear(file: string, found: string): Promise<void> {
  const claim = await tryLock(`${file}.${createHash('sha256').update(found).digest('hex').slice(0, 12)}`)
  if (claim === null) return await setTimeout(CLEARING_MS)
  if ((await ownerOf(file)) === found) await rm(file, { force: true })
  await claim.release()
}

async function lives(file: string, found: string): Promise<boolean> {
  const [host, pid, start] = found.split(' ')
  if (start === undefined) return false
  if (host === hostname()) return start === (await startOf(Number(pid)))
  const touched = async () => (await stat(file).catch(() => null))?.mtimeMs
  const before = await touched()
  await setTimeout(SILENCE_MS)
  return (await touched()) !== before
}

/** The start time of a process, in the system's own format; null when there is none, or only a zombie. With the id it identifies the process. */
export async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') {
    const output = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
    return output.stdout.trim().replaceAll(/\s+/g, '_') || null
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in the second field may hold spaces and brackets; what follows its last bracket begins with field 3, the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const dead = fields[0] === 'Z' || fields[0] === 'X'
  return dead ? null : (fields[19] ?? null)
}
