import { once } from 'node:events'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import { freePort } from '../free-port.ts'
import { spawnJava } from '../java-process.ts'
import { findJava } from '../kafka/java.ts'
import { KafkaSetupError } from '../kafka/setup-error.ts'
import { leftOut } from '../left-out.ts'
import { mavenJars } from '../maven-jars.ts'
import { mailFlags } from './mail-flags.ts'

const POM = fileURLToPath(new URL('./pom.xml', import.meta.url))
const VERSION = '2.1.13'
const CHECKSUM = '42827b1dc4a7b34205df888535471835e6320fe9650489a556cc36b716f01872'
const START_MS = 150_000
const LOOK_MS = 50
const ANSWER_MS = 10_000

/**
 * A mail server that takes mail over SMTP and shows it over IMAP, all of it in its memory. It has the mailbox bounces@example.com, whose
 * password is s3cret; mail to `bounces+anything@example.com` comes into it too. `stop` and `start`: the same ports, an empty server.
 */
export type Greenmail = Readonly<{
  imap: string
  /** Sends a mail to an address, over SMTP. */
  post: (to: string, raw: string) => Promise<void>
  /** The flags of every mail in the mailbox, the oldest first. */
  flags: () => Promise<readonly (readonly string[])[]>
  stop: () => Promise<void>
  start: () => Promise<void>
}>

/** Starts it on free ports; null, with a line that says why, where this machine cannot have it. */
export async function startGreenmail(): Promise<Greenmail | null> {
  try {
    const java = await findJava()
    const cache = process.env.TIDINGS_TEST_GREENMAIL_CACHE ?? join(homedir(), '.cache', 'tidings-greenmail')
    const jars = await mavenJars({ what: 'mail server GreenMail', version: VERSION, pom: POM, cache, checksum: CHECKSUM })
    const ports = { smtp: await freePort(), imap: await freePort() }
    const start = () => run(java, jars, ports)
    let stop = await start()
    return {
      imap: `imap://bounces:s3cret@127.0.0.1:${ports.imap}`,
      post: async (to, raw) => {
        const envelope = { from: 'mailer-daemon@mx.example', to }
        await createTransport({ host: '127.0.0.1', port: ports.smtp }).sendMail({ envelope, raw })
      },
      flags: () => mailFlags(ports.imap, 'bounces', 's3cret'),
      stop: () => stop(),
      start: async () => {
        stop = await start()
      },
    }
  } catch (error) {
    if (!(error instanceof KafkaSetupError)) throw error
    leftOut('greenmail', error.message)
    return null
  }
}

type Ports = Readonly<{ smtp: number; imap: number }>

async function run(java: string, jars: string, { smtp, imap }: Ports): Promise<() => Promise<void>> {
  const settings = [
    ...['-Dgreenmail.smtp.hostname=127.0.0.1', `-Dgreenmail.smtp.port=${smtp}`],
    ...['-Dgreenmail.imap.hostname=127.0.0.1', `-Dgreenmail.imap.port=${imap}`],
    ...['-Dgreenmail.users=bounces:s3cret@example.com', '-Dgreenmail.sieve.ignore.detail=true'],
  ]
  const main = 'com.icegreen.greenmail.standalone.GreenMailStandaloneRunner'
  const { jvm, stop } = spawnJava(java, ['-Xmx128m', '-XX:TieredStopAtLevel=1', ...settings, '-cp', `${jars}/*`, main])
  let said = ''
  jvm.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-1_000)
  })
  for (const deadline = Date.now() + START_MS; !(await answers(smtp)) || !(await answers(imap)); await sleep(LOOK_MS)) {
    if (jvm.exitCode === null && Date.now() < deadline) continue
    await stop()
    throw new KafkaSetupError('START_FAILED', `the mail server did not start: ${said}`)
  }
  return stop
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  // One that has just begun to listen may take the connection and end it, or leave it.
  socket.setTimeout(ANSWER_MS, () => socket.destroy())
  const closed = once(socket, 'close').then(() => false)
  try {
    return await Promise.race([once(socket, 'data').then(() => true), closed])
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
