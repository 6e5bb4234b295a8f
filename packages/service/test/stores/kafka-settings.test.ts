import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@tidings/config'
import { newAuthority } from '@tidings/testing/certificates'
import { afterAll, expect, test } from 'vitest'
import { kafkaSettings } from '../../src/stores/kafka-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidings-kafka-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (content: string): string => {
  const path = join(folder, 'ca.pem')
  writeFileSync(path, content)
  return path
}
const settingsFor = (env: Readonly<Record<string, string>>) =>
  kafkaSettings(loadConfig({ TIDINGS_KAFKA_BROKERS: 'kafka:9093', ...env }, null))

test('without brokers there is no Kafka, and without more settings neither TLS nor a login', async () => {
  expect(await settingsFor({ TIDINGS_KAFKA_BROKERS: '' })).toBeNull()
  expect(await settingsFor({ TIDINGS_KAFKA_TLS: '0' })).toEqual({
    brokers: ['kafka:9093'],
    prefix: 'tidings',
    partitions: 12,
    build: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('TLS trusts what Node.js trusts, or the CAs of a file', async () => {
  const { cert } = newAuthority('Ours')
  expect(await settingsFor({ TIDINGS_KAFKA_TLS: '1' })).toMatchObject({ tls: {} })
  expect(await settingsFor({ TIDINGS_KAFKA_TLS: file(cert) })).toMatchObject({ tls: { ca: cert } })
})

test('a file of CAs that cannot be used is one sentence', async () => {
  await expect(settingsFor({ TIDINGS_KAFKA_TLS: join(folder, 'none.pem') })).rejects.toThrow(
    /^The file \S+none\.pem of TIDINGS_KAFKA_TLS cannot be read \(ENOENT\): /,
  )
  await expect(settingsFor({ TIDINGS_KAFKA_TLS: file('nonsense') })).rejects.toThrow(
    /^The file \S+ca\.pem of TIDINGS_KAFKA_TLS holds no certificate in PEM: /,
  )
})
