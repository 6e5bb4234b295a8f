import { describe, expect, test } from 'vitest'
import { InvalidConnectionString, parseConnectionString } from '../../src/eventstoredb/connection-string.ts'

const refused = (text: string): string => {
  try {
    parseConnectionString(text)
  } catch (error) {
    if (error instanceof InvalidConnectionString) return error.message
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('a connection string', () => {
  test.each([
    'esdb://127.0.0.1:2113?tls=false',
    'esdb+discover://events.example?tls=true&keepAliveInterval=-1',
    'esdb+discover://events.example?tls=true&nodePreference=leader',
    'esdb://127.0.0.1:2113?nodepreference=Leader&tls=false',
    'esdb://admin:p%40ss%3Aword@a.example:2113,b.example:2113,c.example?tlsCAFile=%2Fetc%2Fca.pem',
  ])('is taken: %s', (text) => {
    expect(text).toContain(parseConnectionString(text).servers)
  })

  test('tells its hosts, its user, and whether the host stands for a cluster', () => {
    const { hosts, user, isDiscovered } = parseConnectionString('esdb://admin:p%40ss%3Aword@a.example:2114,b.example')
    expect({ hosts, user, isDiscovered }).toEqual({
      hosts: [
        { address: 'a.example', port: 2114 },
        { address: 'b.example', port: 2113 },
      ],
      user: { name: 'admin', password: 'p@ss:word' },
      isDiscovered: false,
    })
  })

  test('leaves a user and a password with a percent sign of their own as they are', () => {
    expect(parseConnectionString('esdb://a+b:100%+c@host').user).toEqual({ name: 'a+b', password: '100%+c' })
  })

  test('may name KurrentDB, which speaks the same wire', () => {
    const { hosts, user, isDiscovered } = parseConnectionString('kurrentdb+discover://events.example?tls=true')
    expect({ hosts, user, isDiscovered }).toEqual({ hosts: [{ address: 'events.example', port: 2113 }], user: null, isDiscovered: true })
  })

  test('tells its options, decoded', () => {
    const { option } = parseConnectionString('esdb://host?TLS=false&tlsCAFile=%2Fetc%2Fca.pem')
    expect([option('tls'), option('tlsCAFile'), option('keepAliveInterval')]).toEqual(['false', '/etc/ca.pem', undefined])
  })

  test('names its servers without the user', () => {
    expect(parseConnectionString('esdb://admin:changeit@a.example:2113,b.example/?tls=true').servers).toBe('a.example:2113,b.example')
  })

  test.each([
    ['http://localhost', 'write it as esdb://'],
    ['esdb://', 'write it as esdb://'],
    ['esdb://host:abc', 'host:port'],
    ['esdb://host:2113,', 'host:port'],
    ['esdb://[::1]:2113', 'host:port'],
    ['esdb://host?tls=maybe', 'its option tls has a value of the wrong kind'],
    ['esdb://host?keepAliveInterval=often', 'its option keepAliveInterval'],
    ['esdb://host?tlsVerifyCert=false', 'an option that is not one of tls,'],
    ['esdb://host?nodePreference=follower', 'leave out nodePreference, or write leader'],
    ['esdb://host?nodePreference=random', 'leave out nodePreference, or write leader'],
    ['esdb://host?nodePreference=', 'leave out nodePreference, or write leader'],
  ])('that cannot be used is refused with what to write: %s', (text, advice) => {
    expect(refused(text)).toContain(advice)
  })

  test.each([
    'esdb://admin:hunter@2@host:2113',
    'esdb://admin:hunter:2@host:2113',
    'esdb://admin:hunter#2@host:2113',
    'esdb://admin:hunter/2@host:2113',
    'esdb://admin:hunter2',
    'esdb://admin:hunter2@host?foo=bar',
    'esdb://admin:hunter2@host?hunter2=bar',
    'esdb://admin:hunter2@host:hunter2',
  ])('says nothing of the password: %s', (text) => {
    expect(refused(text)).not.toMatch(/hunter|admin/)
  })
})
