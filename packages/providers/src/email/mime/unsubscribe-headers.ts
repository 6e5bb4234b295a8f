import type { EmailMessage } from '../port.ts'
import { plainHeader } from './header.ts'

/** How a mail program unsubscribes its reader by one click (RFC 2369 §3.2, RFC 8058 §3.1); none for mail that nobody subscribes to. */
export const unsubscribeHeaders = ({ unsubscribeUrl }: EmailMessage): readonly string[] =>
  unsubscribeUrl === undefined
    ? []
    : [plainHeader('List-Unsubscribe', `<${unsubscribeUrl}>`), 'List-Unsubscribe-Post: List-Unsubscribe=One-Click']
