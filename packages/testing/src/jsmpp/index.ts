import type { ChildProcess } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import { spawnJava } from '../java-process.ts'
import { findJava } from '../kafka/java.ts'
import { KafkaSetupError } from '../kafka/setup-error.ts'
import { leftOut } from '../left-out.ts'
import { mavenJars } from '../maven-jars.ts'

const POM = fileURLToPath(new URL('./pom.xml', import.meta.url))
const VERSION = '3.0.0'
const CHECKSUM = '49449de0f5fc9f88b24a3d7981e0cb0aff103cd55b4d3e2f2ca214ceccee23b8'
const START_MS = 150_000

/**
 * The SMSC simulator of jSMPP, a Java implementation of SMPP that shares nothing with ours. It takes every message and sends a receipt one
 * second later. `log` has its lines.
 */
export type Jsmpp = Readonly<{ url: string; log: readonly string[]; stop: () => Promise<void> }>

/** Starts it on a free port; null, with a line that says why, where this machine cannot have it. */
export async function startJsmpp(): Promise<Jsmpp | null> {
  try {
    const java = await findJava()
    const cache = process.env.TIDINGS_TEST_JSMPP_CACHE ?? join(homedir(), '.cache', 'tidings-jsmpp')
    const jars = await mavenJars({ what: 'SMSC simulator', version: VERSION, pom: POM, cache, checksum: CHECKSUM })
    return await startSimulator(java, jars)
  } catch (error) {
    if (!(error instanceof KafkaSetupError)) throw error
    leftOut('jsmpp', error.message)
    return null
  }
}

async function startSimulator(java: string, jars: string): Promise<Jsmpp> {
  const port = await freePort()
  const settings = [`-Djsmpp.simulator.port=${port}`, '-Djsmpp.client.systemId=shop', '-Djsmpp.client.password=s3cret']
  const args = ['-Xmx64m', '-XX:TieredStopAtLevel=1', ...settings, '-cp', `${jars}/*`, 'org.jsmpp.examples.SMPPServerSimulator']
  const { jvm, stop } = spawnJava(java, args)
  const log: string[] = []
  await listening(jvm, log)
  return {
    url: `smpp://shop:s3cret@127.0.0.1:${port}`,
    log,
    stop,
  }
}

/** Keeps the lines of its log from now on. */
function listening(jvm: ChildProcess, log: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      jvm.kill('SIGKILL')
      reject(new KafkaSetupError('START_FAILED', `the SMSC simulator ${why}: ${log.slice(-3).join(' ')}`))
    }
    const late = setTimeout(fail, START_MS, `did not start within ${START_MS} ms`)
    jvm.once('error', (error) => fail(`did not start: ${error.message}`))
    jvm.once('exit', () => {
      clearTimeout(late)
      fail('ended')
    })
    createInterface({ input: jvm.stderr! }).on('line', (line) => {
      log.push(line)
      if (!line.includes('Listening on port')) return
      clearTimeout(late)
      resolve()
    })
  })
}
