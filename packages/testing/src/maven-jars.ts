import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { KafkaSetupError } from './kafka/setup-error.ts'

const run = promisify(execFile)

/**
 * `pom` lists the jars; `properties` are what it leaves open. `checksum` is what `LC_ALL=C sha256sum *.jar | sha256sum` prints in the
 * folder, undefined for a version that was never checked: Maven itself only compares with what the registry says.
 */
export type JarList = Readonly<{
  what: string
  version: string
  pom: string
  cache: string
  checksum: string | undefined
  properties?: readonly string[]
}>

/** The folder with the jars, downloaded once from Maven Central and kept. Two processes may ask at the same time. */
export async function mavenJars(list: JarList): Promise<string> {
  const { cache, version } = list
  const folder = join(cache, version)
  if (isComplete(folder)) return folder
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, `.${version}-`))
  try {
    await download(list, work)
    await check(list, work)
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

async function download({ what, version, pom, properties = [] }: JarList, folder: string): Promise<void> {
  const wanted = [...properties, `-DoutputDirectory=${folder}`]
  try {
    await run('mvn', ['-B', '-q', '-C', '-f', pom, 'dependency:copy-dependencies', ...wanted], { timeout: 300_000 })
  } catch (error) {
    const { code, stdout = '' } = error as Readonly<{ code?: unknown; stdout?: string }>
    if (code === 'ENOENT') throw new KafkaSetupError('MAVEN_MISSING', `there is no mvn to fetch the ${what} with: apt-get install maven.`)
    const line = stdout.split('\n').find((text) => text.includes('ERROR')) ?? String(error)
    throw new KafkaSetupError('DOWNLOAD_FAILED', `Maven Central gave no ${what} ${version} (${line.slice(0, 300)}).`, { cause: error })
  }
}

async function check({ version, checksum: wanted }: JarList, folder: string): Promise<void> {
  const all = createHash('sha256')
  const sha = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jar'))
  for (const name of names.sort()) all.update(`${await sha(name)}  ${name}\n`)
  const found = all.digest('hex')
  if (wanted !== undefined && wanted !== found)
    throw new KafkaSetupError('CHECKSUM', `the jars of ${version} hash to ${found}, not to ${wanted}.`)
}
