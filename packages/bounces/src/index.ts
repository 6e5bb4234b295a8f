export { mailboxAddress } from './mailbox-address.ts'
export { type Mailbox, openMailbox, type StoredMail } from './open-mailbox.ts'
export { type MailReading, readReport } from './read-report.ts'
export { tryMailbox } from './try-mailbox.ts'
