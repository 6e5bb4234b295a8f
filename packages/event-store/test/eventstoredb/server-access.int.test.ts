import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newAuthority } from '@tidings/testing/certificates'
import { expect, onTestFinished, test, vi } from 'vitest'
import { InvalidConnectionString } from '../../src/eventstoredb/connection-string.ts'
import { serverAccess } from '../../src/eventstoredb/server-access.ts'
import { aFixture } from './fixture.testing.ts'

const aFile = async (content: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'file.pem'), content)
  return join(folder, 'file.pem')
}

test('the node that failed is asked again where no other one answers', async () => {
  const [failed, away] = [await aFixture(), await aFixture()]
  const names = [failed, away].map(({ port }) => `127.0.0.1:${port}`)
  const { find } = serverAccess(`esdb://${names.join(',')}?tls=false&discoveryInterval=10&maxDiscoverAttempts=3`)
  await away.stop()
  expect(await find(names[0]!)).toBe(names[0])
  expect(await find(null)).toBe(names[0])
})

test('the node that failed is not asked where another one answers', async () => {
  const [failed, leader] = [await aFixture(), await aFixture()]
  const names = [failed, leader].map(({ port }) => `127.0.0.1:${port}`)
  const { find } = serverAccess(`esdb://${names.join(',')}?tls=false`)
  expect(await find(names[0]!)).toBe(names[1])
})

test.each([
  ['', { intervalMs: 10_000, timeoutMs: 10_000 }],
  ['&keepAliveInterval=500&keepAliveTimeout=300', { intervalMs: 500, timeoutMs: 300 }],
  ['&keepAliveInterval=0', null],
  ['&keepAliveInterval=-1', null],
  ['&keepAliveTimeout=0', null],
  ['&keepAliveInterval=2147483648&keepAliveTimeout=99999999999999999999', { intervalMs: 2_147_483_647, timeoutMs: 2_147_483_647 }],
])('pings are as far apart as a timer can wait, and 0 or -1 turns them off: %s', (options, keepAlive) => {
  const access = serverAccess(`esdb://host?tls=false${options}`)
  expect(access.keepAlive).toEqual(keepAlive)
  expect(access.channelOptions['grpc.keepalive_time_ms']).toBe(keepAlive?.intervalMs)
})

test('the authorities that gRPC knows by its variable are those of appends, too', async () => {
  const { cert } = newAuthority('Tests')
  vi.stubEnv('GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', await aFile(cert))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(serverAccess('esdb://host').tls?.ca?.toString()).toBe(cert)
  const own = newAuthority('Own').cert
  expect(serverAccess(`esdb://host?tlsCAFile=${encodeURIComponent(await aFile(own))}`).tls?.ca?.toString()).toBe(own)
})

test('a file that cannot be used is refused in a sentence', async () => {
  const [{ cert }, text] = [newAuthority('Tests'), encodeURIComponent(await aFile('no certificate at all'))]
  const broken = encodeURIComponent(await aFile('-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n'))
  const whole = encodeURIComponent(await aFile(cert))
  for (const options of [`tlsCAFile=${text}`, `userCertFile=${text}&userKeyFile=${text}`])
    expect(() => serverAccess(`esdb://host?${options}`)).toThrow(
      new InvalidConnectionString('Failed to load certificate file. It is not in the form of PEM'),
    )
  for (const options of [`userCertFile=${broken}&userKeyFile=${broken}`, `userCertFile=${whole}&userKeyFile=${whole}`]) {
    const open = () => serverAccess(`esdb://host?${options}`)
    expect(open).toThrow(InvalidConnectionString)
    expect(open).toThrow('tlsCAFile, userCertFile and userKeyFile')
  }
})
