import { describe, expect, test } from 'vitest'
import { sesReport } from '../../src/ses/event.ts'

const ID = '010201934c5d6e7f-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000'
const OURS = '<0192b1f0-0000-7000-8000-00000000000a.0000000000000000000000000@api.acme.example>'
const mail = { messageId: ID, destination: ['ada@example.com'] }
const of = { providerMessageId: ID, to: 'ada@example.com' }
const read = (event: unknown) => sesReport(typeof event === 'string' ? event : JSON.stringify(event))
const bounce = (bounceType: string, bounceSubType: string, recipient: object = {}) => ({
  ...{ eventType: 'Bounce', mail },
  bounce: { bounceType, bounceSubType, bouncedRecipients: [{ emailAddress: 'ada@example.com', ...recipient }] },
})

describe('an event of SES', () => {
  test.each([
    ['a delivery', { eventType: 'Delivery', mail }, { ...of, type: 'delivered' }],
    ['a notification of an identity', { notificationType: 'Delivery', mail }, { ...of, type: 'delivered' }],
    ['a complaint', { eventType: 'Complaint', mail, complaint: { complaintFeedbackType: 'abuse' } }, { ...of, type: 'complained' }],
    ['a complaint that takes one back', { eventType: 'Complaint', mail, complaint: { complaintFeedbackType: 'not-spam' } }, null],
    [
      'a mail with a virus',
      { eventType: 'Reject', mail, reject: { reason: 'Bad content' } },
      { ...of, type: 'bounced', hard: false, reason: 'rejected Bad content' },
    ],
    ['a delay', { eventType: 'DeliveryDelay', mail }, null],
    ['an open', { eventType: 'Open', mail }, null],
    ['one without a mail', { eventType: 'Delivery' }, null],
    ['one with lists and numbers instead', { eventType: ['Delivery'], mail: [mail] }, null],
    ['no JSON', 'Successfully validated SNS topic for Amazon SES event publishing.', null],
  ])('%s', (_, event, report) => {
    expect(read(event)).toEqual(report)
  })

  test.each([
    [
      'the address does not exist',
      bounce('Permanent', 'General', { status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }),
      true,
    ],
    ['only the status says so', bounce('Permanent', 'General', { status: '5.1.1', diagnosticCode: 'smtp; 550 user unknown' }), true],
    [
      'SES itself found no host',
      bounce('Permanent', 'General', { status: '5.1.2', diagnosticCode: 'Unable to lookup DNS for example.com' }),
      true,
    ],
    ['policy (M59)', bounce('Permanent', 'General', { status: '5.7.1', diagnosticCode: 'smtp; 550 5.7.1 blocked for spam' }), false],
    [
      'the words win over a status that says less',
      bounce('Permanent', 'General', { status: '5.1.1', diagnosticCode: 'smtp; 550 5.7.1 blocked' }),
      false,
    ],
    ['no code at all', bounce('Permanent', 'General'), false],
    ['it bounced before', bounce('Permanent', 'OnAccountSuppressionList', { status: '5.1.1' }), true],
    ['it bounced elsewhere before', bounce('Permanent', 'Suppressed'), true],
    ['the mailbox stayed full', bounce('Transient', 'MailboxFull', { status: '5.2.2', diagnosticCode: 'smtp; 552 5.2.2 full' }), false],
    ['the content', bounce('Transient', 'ContentRejected', { status: '5.1.1' }), false],
    ['it is not known', bounce('Undetermined', 'Undetermined', { status: '5.1.1' }), false],
  ])('a bounce because %s', (_, event, hard) => {
    expect(read(event)).toMatchObject({ ...of, type: 'bounced', hard })
  })

  test('says why a mail bounced', () => {
    const said = read(bounce('Permanent', 'General', { status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }))
    expect(said?.reason).toBe('Permanent/General 5.1.1 smtp; 550 5.1.1 user unknown')
  })

  test('names the mail by our id where it shows the headers, and by none that somebody else wrote', () => {
    const withHeader = (value: unknown) => ({ eventType: 'Delivery', mail: { ...mail, headers: [{ name: 'Message-ID', value }] } })
    expect(read(withHeader(OURS))?.providerMessageId).toBe(OURS)
    expect(read(withHeader('<4F2ABC@elsewhere.example>'))?.providerMessageId).toBe(ID)
    expect(read(withHeader(7))?.providerMessageId).toBe(ID)
  })
})
