import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mavenJars } from '../maven-jars.ts'

const POM = fileURLToPath(new URL('./pom.xml', import.meta.url))

/** `KAFKA_VERSION=3.9.2` runs the line before 4.0, which removed old versions of the protocol. */
export function kafkaVersion(): string {
  return process.env.KAFKA_VERSION ?? '4.3.1'
}

const CHECKSUMS: Readonly<Record<string, string>> = {
  '3.9.2': '2001c7c81573707b5339b1073f7ae02da3d01cad00a51a963b7a13793150eea6',
  '4.3.1': '8982a419bef47728805b59b9a2e10b0a56c77610018066114bee7b216647213e',
}

/** The folder with the jars of a version, some 65 MB. */
export function brokerJars(version: string): Promise<string> {
  const cache = process.env.TIDINGS_TEST_KAFKA_CACHE ?? join(homedir(), '.cache', 'tidings-kafka')
  return mavenJars({ what: 'broker', version, pom: POM, cache, checksum: CHECKSUMS[version], properties: [`-Dkafka.version=${version}`] })
}
