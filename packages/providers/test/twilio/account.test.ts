import { expect, test } from 'vitest'
import { parseTwilioUrl } from '../../src/twilio/account.ts'

const parse = (address: string) => parseTwilioUrl(address, 'SMS')

test('an address names the account and the server', () => {
  expect(parse('twilio://AC1:s%2Fcret@api.twilio.com')).toEqual({
    sid: 'AC1',
    token: 's/cret',
    origin: 'https://api.twilio.com',
    basePath: '',
    callerId: null,
  })
  expect(parse('twilio://AC1:t@127.0.0.1:8080?protocol=http')).toMatchObject({ origin: 'http://127.0.0.1:8080' })
  expect(parse('twilio://AC1:t@[::1]:8080/?protocol=http')).toMatchObject({ origin: 'http://[::1]:8080', basePath: '' })
  expect(parse('twilio://AC1:t@space.example:443/api/laml/?protocol=https')).toMatchObject({
    origin: 'https://space.example',
    basePath: '/api/laml',
  })
  expect(parse('twilio://AC1:t@sms-gateway?callerId=%2B97231234567')).toMatchObject({ callerId: '+97231234567' })
})

test.each([
  ['twilio://', 'no host'],
  ['twilio:AC1:s3cret', 'no host'],
  ['twilio://AC1:s3cret@', 'is no address'],
  ['twilio://host', 'account SID'],
  ['twilio://A%20C:s3cret@host', 'account SID'],
  ['twilio://AC1%2F..:s3cret@host', 'account SID'],
  ['twilio://AC1@host', 'auth token'],
  ['twilio://AC1:s3cret%zz@host', 'auth token'],
  ['twilio://AC1:s3cret@host?protocol=ftp', 'https or http'],
  ['twilio://AC1:s3cret@host?protocl=http', 'unknown setting'],
  ['twilio://AC1:s3cret@host?callerId=Acme', 'callerId'],
  ['twilio://AC1:s3cret@ho%20st', 'cannot be called'],
])('%s cannot be used, and one sentence says why without a secret', (address, why) => {
  expect(() => parse(address)).toThrow(why)
  expect(() => parse(address)).toThrow(/^The SMS provider [^.]*(?:\.[^.]*)*\.$/)
  expect(() => parse(address)).not.toThrow(/s3cret/)
})
