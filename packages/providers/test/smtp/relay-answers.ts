import type { DeliveryFailure } from '../../src/port.ts'

/** What a server replies to a command (`mail`: to the mail itself), and what that means for the message. `soft`: the receiver said "later". */
export type RelayAnswer = Readonly<{
  server: string
  to: 'MAIL' | 'RCPT' | 'DATA' | 'mail'
  reply: string
  means: DeliveryFailure
  soft?: true
}>

type AnswerMeaning = Readonly<Pick<RelayAnswer, 'means' | 'soft'>>
const BOUNCED: AnswerMeaning = { means: 'recipient' }
const REFUSED: AnswerMeaning = { means: 'refused' }
const LATER: AnswerMeaning = { means: 'temporary', soft: true }
const RELAY_LATER: AnswerMeaning = { means: 'temporary' }

const from = (server: string, answers: readonly (readonly [RelayAnswer['to'], string, AnswerMeaning])[]): readonly RelayAnswer[] =>
  answers.map(([to, reply, means]) => ({ server, to, reply, ...means }))

/** Answers as these servers give them, from their documentation and source. */
export const RELAY_ANSWERS: readonly RelayAnswer[] = [
  ...from('Postfix', [
    ['RCPT', '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in local recipient table', BOUNCED],
    ['RCPT', '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table', BOUNCED],
    ['RCPT', '550 5.1.2 <ada@example.com>: Recipient address rejected: Domain not found', BOUNCED],
    ['RCPT', '501 5.1.3 Bad recipient address syntax', BOUNCED],
    ['RCPT', '550 5.1.6 <ada@example.com>: Recipient address rejected: User has moved to ada@new.example', BOUNCED],
    ['RCPT', '556 5.1.10 <ada@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)', BOUNCED],
    ['RCPT', '554 5.7.1 <ada@example.com>: Relay access denied', REFUSED],
    ['RCPT', '454 4.7.1 <ada@example.com>: Relay access denied', LATER],
    ['RCPT', '550 5.7.1 <ada@example.com>: Recipient address rejected: Access denied', REFUSED],
    ['RCPT', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', REFUSED],
    ['RCPT', '450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted', LATER],
    ['RCPT', '450 4.1.1 <ada@example.com>: Recipient address rejected: unverified address', LATER],
    ['RCPT', '452 4.2.2 <ada@example.com>: Mailbox full', LATER],
    ['RCPT', '552 5.2.2 <ada@example.com>: Recipient address rejected: Mailbox is full', LATER],
    ['MAIL', '550 5.1.8 <hello@acme.example>: Sender address rejected: Domain not found', REFUSED],
    ['MAIL', '553 5.7.1 <hello@acme.example>: Sender address rejected: not owned by user shop', REFUSED],
    ['MAIL', '530 5.7.0 Must issue a STARTTLS command first', REFUSED],
    ['MAIL', '552 5.3.4 Message size exceeds fixed limit', REFUSED],
    ['MAIL', '452 4.3.1 Insufficient system storage', RELAY_LATER],
    ['DATA', '554 5.5.1 Error: no valid recipients', REFUSED],
    ['mail', '552 5.3.4 Error: message file too big', REFUSED],
    ['mail', '550 5.7.1 Message contents rejected', REFUSED],
    ['mail', '451 4.3.0 Error: queue file write error', LATER],
  ]),
  ...from('Exim', [
    ['RCPT', '550 Unrouteable address', BOUNCED],
    ['RCPT', '550-Verification failed for <ada@example.com>\r\n550-Unrouteable address\r\n550 Unknown user', BOUNCED],
    ['RCPT', '550 relay not permitted', REFUSED],
    ['RCPT', '550 Administrative prohibition', REFUSED],
    ['RCPT', '550-Verification failed for <hello@acme.example>\r\n550-Unrouteable address\r\n550 Sender verify failed', REFUSED],
    ['RCPT', '550 Authentication required', REFUSED],
    ['RCPT', '501 ada@: recipient address must contain a domain', REFUSED],
    ['RCPT', '451 Temporary local problem - please try later', LATER],
    ['mail', '550 This message scored 9.1 spam points.', REFUSED],
    ['mail', '552 Message size exceeds maximum permitted', REFUSED],
    ['mail', '554 Mail server configuration error', REFUSED],
  ]),
  ...from('Exchange and Microsoft 365', [
    ['RCPT', '550 5.1.1 User unknown', BOUNCED],
    ['RCPT', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup', BOUNCED],
    ['mail', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup', BOUNCED],
    ['mail', '550 5.2.1 STOREDRV.Deliver; mailbox disabled', BOUNCED],
    ['mail', '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException', LATER],
    ['mail', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', REFUSED],
    ['RCPT', '550 5.4.1 Recipient address rejected: Access denied', REFUSED],
    ['RCPT', '550 5.7.1 Unable to relay', REFUSED],
    ['RCPT', '550 5.7.64 TenantAttribution; Relay Access Denied', REFUSED],
    ['MAIL', '530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM', REFUSED],
    ['mail', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', REFUSED],
    ['mail', '554 5.2.252 SendAsDenied; shop@acme.example not allowed to send as hello@acme.example', REFUSED],
    ['mail', '550 5.6.7 SMTPSEND.Utf8; UTF-8 recipient address not supported', REFUSED],
    ['mail', '432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded', LATER],
    ['RCPT', '452 4.5.3 Too many recipients', LATER],
  ]),
  ...from('Gmail', [
    [
      'RCPT',
      '550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550 5.1.1 double-checking the address. - gsmtp',
      BOUNCED,
    ],
    ['RCPT', '550 5.2.1 The email account that you tried to reach is disabled. - gsmtp', BOUNCED],
    ['RCPT', "553 5.1.2 We weren't able to find the recipient domain. - gsmtp", BOUNCED],
    ['RCPT', '553 5.1.3 The recipient address is not a valid RFC-5321 address. - gsmtp', BOUNCED],
    ['RCPT', '552 5.2.2 The email account that you tried to reach is over quota. - gsmtp', LATER],
    ['RCPT', '452 4.2.2 The email account that you tried to reach is over quota. - gsmtp', LATER],
    ['RCPT', '450 4.2.1 The user you are trying to contact is receiving mail too quickly. - gsmtp', LATER],
    ['RCPT', '550 5.7.1 Email quota exceeded. - gsmtp', REFUSED],
    [
      'MAIL',
      '550-5.7.1 Invalid credentials for relay [192.0.2.1]. The IP address you have\r\n550 5.7.1 registered does not match. - gsmtp',
      REFUSED,
    ],
    ['MAIL', '530 5.7.0 Authentication Required. - gsmtp', REFUSED],
    ['mail', "552 5.2.3 Your message exceeded Google's message size limits. - gsmtp", REFUSED],
    ['mail', '550 5.7.26 This mail has been blocked because the sender is unauthenticated. - gsmtp', REFUSED],
    ['mail', '550 5.7.1 Our system has detected that this message is likely unsolicited mail. - gsmtp', REFUSED],
    ['mail', '552 5.7.0 This message was blocked because its content presents a potential security issue. - gsmtp', REFUSED],
    ['mail', '550 5.4.5 Daily user sending limit exceeded. - gsmtp', REFUSED],
  ]),
  ...from('Amazon SES', [
    ['mail', '554 Message rejected: Email address is not verified. The following identities failed the check', REFUSED],
    ['mail', '554 Message rejected: Sending suspended for this account.', REFUSED],
    ['mail', '454 Throttling failure: Maximum sending rate exceeded.', LATER],
    ['mail', '454 Throttling failure: Daily message quota exceeded.', LATER],
    ['mail', '451 Temporary service failure', LATER],
    ['mail', '552 Message is too long.', REFUSED],
    ['MAIL', '530 Authentication required', REFUSED],
    ['MAIL', '501 Invalid MAIL FROM address provided', REFUSED],
    ['RCPT', '501 Invalid RCPT TO address provided', REFUSED],
  ]),
  ...from('Postmark', [
    ['mail', '550 5.7.1 The Sender Signature for the From address is not confirmed', REFUSED],
    ['mail', '552 5.3.4 Message size exceeds limit', REFUSED],
    ['RCPT', '550 5.7.1 This address is on the suppression list of the stream', REFUSED],
  ]),
  ...from('qmail', [
    ['RCPT', '550 sorry, no mailbox here by that name. (#5.1.1)', BOUNCED],
    ['RCPT', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", REFUSED],
    ['mail', '552 sorry, that message size exceeds my databytes limit (#5.3.4)', REFUSED],
  ]),
  ...from('RFC 5321, without a word of its own', [
    ['RCPT', '550 mailbox unavailable', BOUNCED],
    ['RCPT', '551 user not local; please try <ada@new.example>', BOUNCED],
    ['RCPT', '553 mailbox name not allowed', BOUNCED],
    ['RCPT', '552 exceeded storage allocation', REFUSED],
    ['RCPT', '554 transaction failed', REFUSED],
    ['mail', '550 mailbox unavailable', REFUSED],
    ['MAIL', '550 mailbox unavailable', REFUSED],
    ['MAIL', '421 service not available', RELAY_LATER],
  ]),
]
