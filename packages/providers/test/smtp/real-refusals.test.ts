import { describe, expect, test } from 'vitest'
import { classifyRefusal } from '../../src/smtp/refusals.ts'

const meaning = (text: string) => classifyRefusal('RCPT TO', { code: Number(text.slice(0, 3)), text }).failure

describe('a refusal of RCPT without an enhanced code', () => {
  test.each([
    '550 blocked using zen.spamhaus.org',
    '550 Blocked - see https://www.spamcop.net/bl.shtml?192.0.2.1',
    '550 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation, see http://www.barracudanetworks.com/reputation/',
    '550 Client host rejected: Access denied by dnsbl',
    '550 Mail rejected - mail.example.net [192.0.2.1]:4321 is in an RBL, see http://www.spamhaus.org/query/bl?ip=192.0.2.1',
    '550 192.0.2.1 is listed at cbl.abuseat.org',
    '550 Your IP address 192.0.2.1 has been blocked',
    '550 Your host is not allowed to send mail here',
    '550 Mail from 192.0.2.1 refused',
    '550 mail server 192.0.2.1 is blacklisted',
    '550 Rejected because 192.0.2.1 is in a black list at b.barracudacentral.org',
    "550 SC-001 (COL004-MC1F19) Unfortunately, messages from 192.0.2.1 weren't sent. Part of their network is on our block list",
    '550 OU-002 (SNT004-MC1F43) Unfortunately, messages from 192.0.2.1 were not sent. Please contact your Internet service provider',
    '550 Sender address rejected: Domain not found',
    '550 Sender verify failed',
    '550 Verification failed for <shop@example.com>: sender rejected',
    '550 relay not permitted',
    '550 we do not relay',
    '550 Administrative prohibition',
    '550 Envelope blocked - https://community.mimecast.com/docs/DOC-1369#550',
    '550 Rejected by header based Anti-Spoofing policy: shop@example.com',
    '550 Blocked by Proofpoint Dynamic Reputation. Please visit https://ipcheck.proofpoint.com/?ip=192.0.2.1',
    '550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)',
    '550 Rejected: reverse DNS lookup of 192.0.2.1 failed',
    '550 The sending IP is not authenticated by SPF',
    '550 permanent failure: message rejected by content filter',
    '550 High probability of spam',
    '550 Listed by uceprotect level 2',
    '550 Too many spammers in your network',
    '553 sorry, your envelope sender is in my badmailfrom list: sender rejected',
  ])('about us: %s', (text) => {
    expect(meaning(text)).toBe('refused')
  })

  test.each([
    '550 No such user here',
    '550 User unknown',
    '550 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
    '550 <ada@example.com>: Recipient address rejected: User unknown in local recipient table',
    '550 Unrouteable address',
    '550 Unknown user: ada@example.com',
    '550 Requested action not taken: mailbox unavailable',
    "550 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address. https://support.google.com/mail/?p=NoSuchUser",
    '550 Address rejected',
    '550 Invalid recipient <ada@example.com>',
    '550 Mailbox disabled for this recipient',
    '550 account is disabled',
    '550 This mailbox is blocked',
    '550 ada@example.com... No such user',
    '551 User not local; please try <ada@example.org>',
    '553 sorry, no mailbox here by that name',
    '550 Recipient not found',
    '550 Mailbox not found',
    '550 mailbox for listserver@example.com does not exist',
    '550 <blockhaus@example.com> unknown user',
  ])('about the recipient: %s', (text) => {
    expect(meaning(text)).toBe('recipient')
  })
})
