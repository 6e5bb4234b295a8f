import { execFile } from 'node:child_process'
import { type Stats, statSync } from 'node:fs'
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
  if (process.platform === 'linux') return (await workerIn(clusterDir))(pid)
  const command = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return command.stdout.includes('postgres') && command.stdout.includes(clusterDir)
}

/**
 * Tells for one process id after another whether that process works in this folder, without leaving the thread: /proc is no disk, and a
 * server that is asked about four times a second by a pool of threads cost an idle process half of what it did.
 */
async function workerIn(clusterDir: string): Promise<(pid: number) => boolean> {
  const cluster = await stat(clusterDir).catch(() => null)
  return (pid) => {
    const works = cluster === null ? null : folderOf(pid)
    return works?.ino === cluster?.ino && works?.dev === cluster?.dev && works !== null
  }
}

function folderOf(pid: number): Stats | null {
  try {
    return statSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

/** Like `isServerOf`, for a caller that asks again and again. */
export async function serverCheck(clusterDir: string): Promise<(pid: number) => boolean | Promise<boolean>> {
  return process.platform === 'linux' ? await workerIn(clusterDir) : (pid) => isServerOf(pid, clusterDir)
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
