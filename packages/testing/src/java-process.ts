import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A server in a JVM. `stop` kills it; so does the end of this process. */
export function spawnJava(java: string, args: readonly string[]): Readonly<{ jvm: ChildProcess; stop: () => Promise<void> }> {
  const jvm = spawn(java, [...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = () => jvm.kill('SIGKILL')
  process.once('exit', kill)
  jvm.once('exit', () => process.removeListener('exit', kill))
  const stop = async (): Promise<void> => {
    if (jvm.exitCode !== null || jvm.signalCode !== null) return
    const gone = once(jvm, 'exit')
    kill()
    await gone
  }
  return { jvm, stop }
}
