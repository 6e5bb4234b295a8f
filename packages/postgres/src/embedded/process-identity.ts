import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

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
