import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brokerJars, kafkaVersion } from './jars.ts'
import { findJava } from './java.ts'
import { type SecureListeners, scramUsers, withSecureListeners } from './secure-listeners.ts'

const run = promisify(execFile)
const PROPERTIES = fileURLToPath(new URL('./server.properties', import.meta.url))
const JVM = ['-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn']
const SETPRIV = '/usr/bin/setpriv'
const STOP_MS = 15_000

/** `advertised`: the port that the broker tells its clients; its own, or that of a proxy to it. */
export type JvmSettings = Readonly<{ folder: string; port: number; controllerPort: number; advertised: number; secure?: SecureListeners }>

/** The broker's process. `stop` lets it finish, at most 15 s; `kill` does not. */
export type Jvm = Readonly<{
  clusterId: string
  logFile: string
  isGone: () => boolean
  stop: () => Promise<void>
  kill: () => Promise<void>
}>

/** Starts the process, on the data of an earlier one if the folder has it. It is not ready yet. */
export async function startJvm(place: JvmSettings): Promise<Jvm> {
  const java = await findJava()
  const jars = await brokerJars(kafkaVersion())
  const config = await writeProperties(place)
  const clusterId = await format({ java, jars, config, place })
  const logFile = join(place.folder, 'broker.log')
  const log = openSync(logFile, 'a')
  const [command, ...args] = [...leash(), java, '-Xmx256m', '-XX:+UseSerialGC', '-Djava.awt.headless=true', ...JVM]
  const jvm = spawn(command ?? java, [...args, '-cp', `${jars}/*`, 'kafka.Kafka', config], { stdio: ['ignore', log, log] })
  const reap = () => jvm.kill('SIGKILL')
  process.once('exit', reap)
  jvm.once('exit', () => process.removeListener('exit', reap))
  const isGone = () => jvm.exitCode !== null || jvm.signalCode !== null
  return { clusterId, logFile, isGone, stop: () => end(jvm, 'SIGTERM'), kill: () => end(jvm, 'SIGKILL') }
}

/** No `exit` handler runs when this process is killed: the kernel ends the JVM then (Linux). */
const leash = (): readonly string[] => (existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL'] : [])

async function writeProperties({ folder, port, controllerPort, advertised, secure }: JvmSettings): Promise<string> {
  await mkdir(folder, { recursive: true })
  const text = (await readFile(PROPERTIES, 'utf8'))
    .replaceAll('@PORT@', String(port))
    .replaceAll('@CONTROLLER_PORT@', String(controllerPort))
    .replaceAll('@ADVERTISED_PORT@', String(advertised))
    .replaceAll('@DATA@', join(folder, 'data'))
  const config = join(folder, 'server.properties')
  await writeFile(config, secure === undefined ? text : await withSecureListeners(text, folder, secure))
  return config
}

type Formatting = Readonly<{ java: string; jars: string; config: string; place: JvmSettings }>

async function format({ java, jars, config, place }: Formatting): Promise<string> {
  const meta = join(place.folder, 'data', 'meta.properties')
  if (!existsSync(meta)) {
    // The '=' matters: one random id in 64 begins with '-', which behind a space would be an option.
    const id = `--cluster-id=${randomBytes(16).toString('base64url')}`
    const users = place.secure === undefined ? [] : scramUsers
    await run(java, [...JVM, '-cp', `${jars}/*`, 'kafka.tools.StorageTool', 'format', id, '-c', config, ...users])
  }
  return /^cluster\.id=(.+)$/m.exec(await readFile(meta, 'utf8'))?.[1] ?? ''
}

async function end(jvm: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (jvm.exitCode !== null || jvm.signalCode !== null) return
  const gone = once(jvm, 'exit')
  jvm.kill(signal)
  const late = setTimeout(() => jvm.kill('SIGKILL'), STOP_MS)
  await gone
  clearTimeout(late)
}
