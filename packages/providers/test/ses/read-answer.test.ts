import { describe, expect, test } from 'vitest'
import { sesAccount } from '../../src/ses/account.ts'
import { readAnswer } from '../../src/ses/read-answer.ts'

const answer = (status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) => ({
  ...{ status, headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const said = (status: number, type?: string, message?: string, isPlain = true) =>
  readAnswer(answer(status, { message }, type === undefined ? {} : { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }), isPlain)

test('a mail that is taken is called by the id of the answer', () => {
  const id = '010201934c5d6e7f-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000'
  expect(readAnswer(answer(200, { MessageId: id }), true)).toMatchObject({ failure: null, id, response: `200 ${id}` })
})

describe('an answer of SES', () => {
  test.each([
    [400, 'BadRequestException', "Missing final '@domain'", 'recipient', true],
    [400, 'BadRequestException', 'Local address contains control or whitespace', 'recipient', true],
    [400, 'BadRequestException', 'Expected ‘;’ in the header', 'refused', false],
    [400, 'MessageRejected', 'Email address is not verified. The following identities failed the check', 'refused', false],
    [400, 'MailFromDomainNotVerifiedException', undefined, 'refused', false],
    [400, 'AccountSuspendedException', undefined, 'outage', true],
    [400, 'SendingPausedException', undefined, 'outage', true],
    [400, 'ThrottlingException', 'Maximum sending rate exceeded.', 'rate limit', true],
    [429, 'TooManyRequestsException', 'Daily message quota exceeded.', 'rate limit', true],
    [400, 'LimitExceededException', undefined, 'rate limit', true],
    [429, undefined, undefined, 'rate limit', false],
    [403, 'UnrecognizedClientException', undefined, 'outage', true],
    [403, 'InvalidSignatureException', 'Signature expired: 20260301T120000Z is now earlier than …', 'outage', true],
    [403, 'AccessDeniedException', undefined, 'outage', true],
    [404, 'NotFoundException', 'Configuration set <mails> does not exist.', 'outage', true],
    [403, undefined, undefined, 'outage', false],
    [301, undefined, undefined, 'outage', false],
    [413, undefined, undefined, 'refused', false],
    [500, 'InternalFailure', undefined, 'unconfirmed', false],
    [502, undefined, undefined, 'unconfirmed', false],
    [503, 'ServiceUnavailable', undefined, 'temporary', false],
    [200, undefined, undefined, 'unconfirmed', false],
  ] as const)('%i %s %s means %s', (status, type, message, failure, isByCode) => {
    expect(said(status, type, message)).toMatchObject({ failure, isByCode })
  })

  test('about an address that it alone may not take is not of the recipient', () => {
    expect(said(400, 'BadRequestException', 'Illegal address', false).failure).toBe('refused')
  })

  test('may name its error in the body, and no error but a word', () => {
    expect(readAnswer(answer(400, { __type: 'com.amazonaws.ses#SendingPausedException' }), true)).toMatchObject({ failure: 'outage' })
    expect(readAnswer(answer(400, { __type: '<script>' }), true)).toMatchObject({ failure: 'refused', response: 'HTTP 400' })
  })

  test('that is no JSON, or an id that is none, says nothing', () => {
    expect(readAnswer(answer(200, 'OK'), true).failure).toBe('unconfirmed')
    expect(readAnswer(answer(200, { MessageId: 'a\nb' }), true).failure).toBe('unconfirmed')
    expect(readAnswer({ status: 200, headers: {}, body: null }, true).failure).toBe('unconfirmed')
  })
})

describe('an address of SES', () => {
  test('names key, region, host, configuration set and topic', () => {
    const topic = 'arn:aws:sns:eu-west-1:123456789012:tidings'
    expect(sesAccount(`ses://AKIAX:a%2Fb+c@email.eu-west-1.amazonaws.com?config=mails&topic=${topic}`)).toEqual({
      ...{ keyId: 'AKIAX', secret: 'a/b+c', region: 'eu-west-1', origin: 'https://email.eu-west-1.amazonaws.com' },
      ...{ configurationSet: 'mails', topic: { arn: topic, origin: 'https://sns.eu-west-1.amazonaws.com' } },
    })
  })

  test.each([
    [
      'email-fips.us-gov-west-1.amazonaws.com',
      'us-gov-west-1',
      'arn:aws-us-gov:sns:us-gov-west-1:123456789012:t',
      'https://sns.us-gov-west-1.amazonaws.com',
    ],
    [
      'email.cn-north-1.amazonaws.com.cn',
      'cn-north-1',
      'arn:aws-cn:sns:cn-north-1:123456789012:t',
      'https://sns.cn-north-1.amazonaws.com.cn',
    ],
    [
      'vpce-0a.email.eu-west-1.vpce.amazonaws.com',
      'eu-west-1',
      'arn:aws:sns:eu-west-1:123456789012:t',
      'https://sns.eu-west-1.amazonaws.com',
    ],
    ['localhost:4566', 'us-east-1', 'arn:aws:sns:us-east-1:000000000000:t', 'http://localhost:4566'],
  ])('reaches %s', (host, region, arn, origin) => {
    const more = host.startsWith('localhost') ? `&protocol=http&region=${region}` : ''
    expect(sesAccount(`ses://AKIAX:secret@${host}?topic=${arn}${more}`)).toMatchObject({ region, topic: { arn, origin } })
  })

  test.each([
    'ses://hunter2@email.eu-west-1.amazonaws.com',
    'ses://AKIAX:@email.eu-west-1.amazonaws.com',
    'ses://:hunter2@email.eu-west-1.amazonaws.com',
    'ses://AKIAX:hunter2@relay.example.com',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com.evil.example',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com?topic=arn:aws:sqs:eu-west-1:123456789012:t',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com?topic=arn:aws:sns:evil.example/:123456789012:t',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com?config=a/b',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com?region=evil.example',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com?protocol=ftp',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com?topik=x',
    'ses://AKIAX:hunter2@email.eu-west-1.amazonaws.com/v2',
  ])('is not %s, and the sentence has nothing of it', (address) => {
    expect(() => sesAccount(address)).toThrow(/^(?!.*(?:hunter2|evil))The email provider /)
  })
})
