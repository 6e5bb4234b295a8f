import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { KafkaSetupError } from './setup-error.ts'

const run = promisify(execFile)
const POM = fileURLToPath(new URL('./pom.xml', import.meta.url))

/** `KAFKA_VERSION=3.9.2` runs the line before 4.0, which removed old versions of the protocol. */
export function kafkaVersion(): string {
  return process.env.KAFKA_VERSION ?? '4.3.1'
}

/** What `LC_ALL=C sha256sum *.jar | sha256sum` prints in the folder. Maven itself only compares with what the registry says. */
const CHECKSUMS: Readonly<Record<string, string>> = {
  '3.9.2': '2001c7c81573707b5339b1073f7ae02da3d01cad00a51a963b7a13793150eea6',
  '4.3.1': '8982a419bef47728805b59b9a2e10b0a56c77610018066114bee7b216647213e',
}

/** The folder with the jars of a version, downloaded once (some 65 MB) and kept. Two processes may ask at the same time. */
export async function brokerJars(version: string): Promise<string> {
  const cache = process.env.TIDINGS_TEST_KAFKA_CACHE ?? join(homedir(), '.cache', 'tidings-kafka')
  const folder = join(cache, version)
  if (isComplete(folder)) return folder
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, `.${version}-`))
  try {
    await download(version, work)
    await check(version, work)
    await writeFile(join(work, '.complete'), '')
    await rename(work, folder).catch((error: unknown) => {
      if (!isComplete(folder)) throw error
    })
    return folder
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const isComplete = (folder: string): boolean => existsSync(join(folder, '.complete'))

async function download(version: string, folder: string): Promise<void> {
  const wanted = [`-Dkafka.version=${version}`, `-DoutputDirectory=${folder}`]
  try {
    await run('mvn', ['-B', '-q', '-C', '-f', POM, 'dependency:copy-dependencies', ...wanted], { timeout: 300_000 })
  } catch (error) {
    const { code, stdout = '' } = error as Readonly<{ code?: unknown; stdout?: string }>
    if (code === 'ENOENT') throw new KafkaSetupError('MAVEN_MISSING', 'there is no mvn to fetch the broker with: apt-get install maven.')
    const line = stdout.split('\n').find((text) => text.includes('ERROR')) ?? String(error)
    throw new KafkaSetupError('DOWNLOAD_FAILED', `Maven Central gave no broker ${version} (${line.slice(0, 300)}).`, { cause: error })
  }
}

async function check(version: string, folder: string): Promise<void> {
  const all = createHash('sha256')
  const sha = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jar'))
  for (const name of names.sort()) all.update(`${await sha(name)}  ${name}\n`)
  const found = all.digest('hex')
  const wanted = CHECKSUMS[version]
  if (wanted !== undefined && wanted !== found)
    throw new KafkaSetupError('CHECKSUM', `the jars of ${version} hash to ${found}, not to ${wanted}.`)
}
