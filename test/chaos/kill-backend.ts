/** Kills a process of Postgres that was there a moment ago: the first that dies takes the others with it, and a connection may have ended. */
export function killBackend(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
