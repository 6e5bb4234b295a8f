import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Identity } from './identity.ts'

/** `folder` is an open handle of a folder that the program works in; `log` takes what it prints. */
export type Run = Readonly<{
  program: string
  args: (folder: string) => readonly string[]
  identity: Identity
  folder: Folder
  log: number
}>
type Folder = Readonly<{ path: string; fd: number }>

const FOLDER_FD = 3

/**
 * Starts a program of Postgres in a session of its own, so that a Ctrl-C meant for the group does not reach it.
 *
 * As root on Linux the folder is handed over as an open descriptor and named `/proc/self/fd/3`: the other user can then work
 * in a data directory that lies under a home he cannot enter. Elsewhere the path itself is used.
 */
export function run(what: Run): ChildProcess {
  const { identity, folder } = what
  const byDescriptor = identity.switched && process.platform === 'linux'
  const stdio: StdioOptions = ['ignore', what.log, what.log, ...(byDescriptor ? [folder.fd] : [])]
  const args = what.args(byDescriptor ? `/proc/self/fd/${FOLDER_FD}` : folder.path)
  return spawn(what.program, args, {
    ...(identity.switched ? { uid: identity.uid | 0, gid: identity.gid | 0 } : {}),
    cwd: byDescriptor ? '/' : folder.path,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio,
    detached: true,
  })
}
