import { expect, it } from 'vitest'
import { loadConfig } from '../src/load-config.ts'
import { secretValues } from '../src/secret-values.ts'

const KEY = 'ab'.repeat(32)

it('has the secrets and the passwords of addresses, as they are written and as they are meant, and no other word', () => {
  const config = loadConfig(
    {
      TIDINGS_DATABASE_URL: 'postgres://tidings:one%2Ftwo@db.example/tidings',
      TIDINGS_READ_DATABASE_URL: 'postgres://tidings:three@one.example/t,postgres://four@two.example/t',
      TIDINGS_MASTER_KEY: KEY,
      TIDINGS_EMAIL_PROVIDER: 'smtp://relay:five%ZZ@relay.example:587',
      TIDINGS_KAFKA_SASL: 'plain:tidings:six:seven',
    },
    null,
  )
  expect(secretValues(config).toSorted()).toEqual([KEY, 'five%ZZ', 'one%2Ftwo', 'one/two', 'plain:tidings:six:seven', 'six:seven', 'three'])
  expect(secretValues(loadConfig({}, null))).toEqual([])
})
