import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { scratchFolder } from '../sweep.ts'
import { type Jvm, type JvmSettings, startJvm } from './jvm.ts'
import { startTcpProxy, type TcpProxy } from './lossy-proxy.ts'
import { isReady } from './ready.ts'
import { newKafkaAuthority, type SecureListeners } from './secure-listeners.ts'
import { KafkaSetupError } from './setup-error.ts'

/** A broker of its own, for a test that kills it. The address stays the same over `kill` and `start`. */
export type TestBroker = Readonly<{
  address: string
  /** `kill -9`; resolves when it is gone. */
  kill: () => Promise<void>
  /** Starts it again on its data; resolves when every partition has its leader. */
  start: () => Promise<void>
  /** The wire that its clients use; null unless it was asked for. */
  proxy: TcpProxy | null
  /** Addresses of its other listeners, and the certificate of who signed theirs (PEM); null unless they were asked for. */
  secure: Readonly<{ tls: string; sasl: string; both: string; ca: string }> | null
  /** Ends it and removes its data. */
  stop: () => Promise<void>
}>

type BrokerOptions = Readonly<{ proxy?: boolean; secure?: boolean }>

const READY_MS = 150_000
const LOOK_MS = 50

/** Starts a real Apache Kafka, one node, from the jars of Maven Central. Rejects with a `KafkaSetupError`. */
export async function startTestBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const folder = await scratchFolder()
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const { place, jvm: first, proxy } = await startOnFreePorts(join(folder, 'kafka'), options)
    let jvm = first
    return {
      address: addressOf(place),
      proxy,
      secure: place.secure ? secureAddresses(place.secure) : null,
      kill: () => jvm.kill(),
      start: async () => {
        jvm = await startAndWait(place)
      },
      stop: async () => {
        await jvm.stop()
        await proxy?.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

const addressOf = ({ advertised }: JvmSettings): string => `127.0.0.1:${advertised}`

const secureListeners = async (): Promise<SecureListeners> => ({
  tls: await freePort(),
  sasl: await freePort(),
  both: await freePort(),
  authority: newKafkaAuthority(),
})

const secureAddresses = ({ tls, sasl, both, authority }: SecureListeners) => ({
  tls: `127.0.0.1:${tls}`,
  sasl: `127.0.0.1:${sasl}`,
  both: `127.0.0.1:${both}`,
  ca: authority.cert,
})

type Started = Readonly<{ place: JvmSettings; jvm: Jvm; proxy: TcpProxy | null }>

async function startOnFreePorts(folder: string, options: BrokerOptions): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const proxy = options.proxy ? await startTcpProxy(port) : null
    const secure = options.secure ? await secureListeners() : null
    const place = { folder, port, controllerPort: await freePort(), advertised: proxy?.port ?? port, ...(secure && { secure }) }
    try {
      return { place, jvm: await startAndWait(place), proxy }
    } catch (error) {
      await proxy?.close()
      // Another process was quicker with the port that was just free.
      if (attempt === 3 || !/Address already in use|listeners on the same port/.test(String(error))) throw error
      await rm(folder, { recursive: true, force: true })
    }
  }
}

async function startAndWait(place: JvmSettings): Promise<Jvm> {
  const jvm = await startJvm(place)
  for (const deadline = Date.now() + READY_MS; !(await isReady(addressOf(place), jvm.clusterId)); await sleep(LOOK_MS)) {
    if (!jvm.isGone() && Date.now() < deadline) continue
    await jvm.kill()
    throw new KafkaSetupError('START_FAILED', `the broker did not start:\n${await complaints(jvm.logFile)}`)
  }
  return jvm
}

const complaints = async (logFile: string): Promise<string> => {
  const lines = (await readFile(logFile, 'utf8')).split('\n')
  return lines
    .filter((line) => /ERROR|FATAL|Exception/.test(line) && !/^\s+at /.test(line))
    .slice(0, 6)
    .join('\n')
    .slice(0, 2_000)
}
