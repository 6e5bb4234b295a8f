import { readdir, readFile } from 'node:fs/promises'

/** The kernel counts in hundredths of a second in /proc, whatever its own tick is (man 5 proc). */
const TICKS = 100

type Times = Readonly<{ parent: number; own: number; children: number }>

const timesOf = async (pid: number): Promise<Times | null> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // The name in brackets may hold anything: the fields are counted from behind it.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const at = (field: number): number => fields[field - 3] ?? 0
  return { parent: at(4), own: at(14) + at(15), children: at(16) + at(17) }
}

/** CPU seconds a process has used so far; null where /proc does not say. */
export async function cpuSecondsOf(pid: number): Promise<number | null> {
  const times = await timesOf(pid)
  return times === null ? null : times.own / TICKS
}

/** The same of a process and all its children, those that have ended included. */
export async function cpuSecondsOfTree(pid: number): Promise<number | null> {
  const root = await timesOf(pid)
  if (root === null) return null
  const others = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(others.map((other) => timesOf(Number(other))))
  const living = all.reduce((sum, times) => sum + (times?.parent === pid ? times.own : 0), 0)
  return (root.own + root.children + living) / TICKS
}

/** Resident memory of one process in MB (10⁶ bytes); null where /proc does not say. */
export async function residentMb(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kib === undefined ? null : (Number(kib) * 1024) / 1e6
}
