import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { changedSettings } from '../src/changed-settings.ts'
import { loadConfig } from '../src/load-config.ts'

const MASTER_KEY = 'ab'.repeat(32)

test('with nothing changed there is nothing to say', () => {
  expect(changedSettings(loadConfig({}, null)).secrets).toEqual([])
  expect(parse(changedSettings(loadConfig({}, null)).file)).toBeNull()
})

test('the file sets what was changed, under the names that a configuration file has, but not where the data lies', () => {
  const config = loadConfig(
    { PORT: '4000', TIDINGS_RATE_LIMIT_KEY: 'off', TIDINGS_SEND_RETRY_SECONDS: '1,2', TIDINGS_DATA_DIR: '/srv' },
    null,
  )
  expect(parse(changedSettings(config).file)).toEqual({
    http: { port: 4000 },
    rateLimit: { key: 'off' },
    sending: { retrySeconds: [1, 2] },
  })
})

test('a secret is named, and not shown', () => {
  const config = loadConfig({ TIDINGS_MASTER_KEY: MASTER_KEY, TIDINGS_EMAIL_PROVIDER: 'smtp://me:hunter2@relay.example' }, null)
  const { file, secrets } = changedSettings(config)
  expect(secrets).toEqual(['TIDINGS_EMAIL_PROVIDER', 'TIDINGS_MASTER_KEY'])
  expect(file).not.toMatch(/hunter2|abab/)
  expect(file).toContain('# Set as secrets, and not here: TIDINGS_EMAIL_PROVIDER, TIDINGS_MASTER_KEY.')
})
