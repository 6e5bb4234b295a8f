export { mailboxAddress } from './mailbox-address.ts'
export { type Mailbox, openMailbox, type StoredMail, tryMailbox } from './open-mailbox.ts'
export { type MailReading, readReport } from './read-report.ts'
