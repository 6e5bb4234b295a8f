/** What the client does with a connection string as it is, and what this adapter does instead. */
import { EventStoreDBClient } from '@eventstore/db-client'
import { parseConnectionString as clientsParser } from '@eventstore/db-client/dist/Client/parseConnectionString.js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { InvalidConnectionString } from '../../src/eventstoredb/connection-string.ts'
import { eventStoreDbStore } from '../../src/eventstoredb/eventstoredb-store.ts'

const printed = () => {
  const lines: unknown[] = []
  const spy = vi.spyOn(console, 'warn').mockImplementation((...line) => void lines.push(...line))
  onTestFinished(() => spy.mockRestore())
  return () => lines.join('\n')
}

test('an option that is not known makes the client print the password; here it is refused, and nothing is printed', () => {
  const [text, output] = ['esdb://admin:changeit@localhost:2113?tlsVerifyCert=false&retries=3', printed()]
  EventStoreDBClient.connectionString(text)
  expect(output()).toContain('changeit')

  const quiet = printed()
  expect(() => eventStoreDbStore({ connectionString: text })).toThrow(InvalidConnectionString)
  expect(quiet()).toBe('')
})

test('a password is cut at its first colon by the client; here it has to be written so that it is not', () => {
  expect(clientsParser('esdb://admin:change:it@localhost').defaultCredentials).toEqual({ username: 'admin', password: 'change' })
  expect(() => eventStoreDbStore({ connectionString: 'esdb://admin:change:it@localhost' })).toThrow('write @ as %40, : as %3A')
  expect(clientsParser('esdb://admin:change%3Ait@localhost').defaultCredentials).toEqual({ username: 'admin', password: 'change:it' })
})

test('a missing certificate is reported in one sentence', () => {
  const connectionString = 'esdb://admin:changeit@localhost?tlsCAFile=%2Fnowhere%2Fca.pem'
  expect(() => eventStoreDbStore({ connectionString })).toThrow(
    new InvalidConnectionString('Failed to load certificate file. File was not found'),
  )
})
