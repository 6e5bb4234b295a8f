import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { KafkaSetupError } from './setup-error.ts'

const run = promisify(execFile)
const OLDEST = 17

const majorOf = async (java: string): Promise<number | null> => {
  try {
    const { stderr } = await run(java, ['-version'])
    return Number(/version "(?:1\.)?(\d+)/.exec(stderr)?.[1])
  } catch {
    return null
  }
}

/** The command of a Java that runs the broker: that of JAVA_HOME, else the one on the path. */
export async function findJava(env: Readonly<Record<string, string | undefined>> = process.env): Promise<string> {
  let seen = ''
  for (const java of [...(env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java')] : []), 'java']) {
    const major = await majorOf(java)
    if (major !== null && major >= OLDEST) return java
    if (major !== null) seen = `${java} is version ${major}`
  }
  if (seen) throw new KafkaSetupError('JAVA_TOO_OLD', `${seen}, the broker needs ${OLDEST} or later: apt-get install default-jre-headless.`)
  throw new KafkaSetupError('JAVA_MISSING', `there is no java ${OLDEST}: apt-get install default-jre-headless.`)
}
