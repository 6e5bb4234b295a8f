import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startOf } from './process-identity.ts'

/**
 * One process owns a data directory at a time. The lock file names its host, process id and start time, so that a process which
 * later got the same id is not taken for it. On another host (two containers, one volume) ids say nothing: there the holder lives
 * as long as it touches the file every second.
 */
export type Lock = Readonly<{ release: () => Promise<void> }>

const TOUCH_MS = 1_000
const SILENCE_MS = 3_500

/** Takes the lock, over a dead holder's if need be; one sentence when somebody living has it. */
export async function lock(file: string): Promise<Lock> {
  const mine = `${hostname()} ${process.pid} ${await startOf(process.pid)}`
  const draft = `${file}.${process.pid}`
  await writeFile(draft, mine, { mode: 0o600 })
  try {
    while (!(await linked(draft, file))) await clearDead(file)
  } finally {
    await rm(draft, { force: true })
  }
  const touching = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), TOUCH_MS).unref()
  return {
    release: async () => {
      clearInterval(touching)
      if ((await holder(file)) === mine) await rm(file, { force: true })
    },
  }
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

async function clearDead(file: string): Promise<void> {
  const found = await holder(file)
  if (found === null) return
  if (await lives(file, found)) {
    const advice = 'stop it, or give this one another TIDINGS_DATA_DIR'
    throw new Error(`Another Tidings (process ${found.split(' ')[1]}) already runs on ${dirname(file)}: ${advice}.`)
  }
  const aside = `${file}.${process.pid}.dead`
  await rename(file, aside).catch(() => undefined)
  // Of two that clear at once the slower may have moved the faster one's new lock: it puts it back.
  if ((await holder(aside)) !== found) await link(aside, file).catch(() => undefined)
  await rm(aside, { force: true })
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

async function holder(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}
