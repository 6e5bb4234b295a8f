import { describe, expect, test } from 'vitest'
import { InvalidConnectionString, parseConnectionString } from './connection-string.ts'

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
  ])('is passed on as it is: %s', (text) => {
    expect(parseConnectionString(text).text).toBe(text)
  })

  test('may name KurrentDB, which speaks the same wire', () => {
    expect(parseConnectionString('kurrentdb+discover://admin:changeit@events.example?tls=true').text).toBe(
      'esdb+discover://admin:changeit@events.example?tls=true',
    )
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
