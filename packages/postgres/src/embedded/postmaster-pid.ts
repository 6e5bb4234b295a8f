import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What `postmaster.pid` of a cluster says (the file that pg_ctl reads): `status` is starting, ready or stopping. */
export type Postmaster = Readonly<{ pid: number; port: number; status: string }>

/** The postmaster that the cluster's pid file names, whether it lives or not; null without a readable file. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | null> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, port: Number(lines[3]), status: lines[7] ?? 'starting' }
}

/** Whether the process with this id is a Postgres working in this folder, and not a later process with the same id. */
export async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    const [works, cluster] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => null), stat(clusterDir).catch(() => null)])
    return works !== null && cluster !== null && works.ino === cluster.ino && works.dev === cluster.dev
  }
  const command = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return command.stdout.includes('postgres') && command.stdout.includes(clusterDir)
}

/** Whether a process with this id exists; a zombie does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
